/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package dev.idempotency.benchmarks;

import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.env.SimpleCommandLinePropertySource;

import dev.idempotency.benchmarks.load.Variant;

/**
 * The options of a run, from arguments of the form {@code --name=value}.
 *
 * @param records the number of records the filled table has
 * @param rounds the number of times that the variants are measured, one after the other
 * @param slice the time that one measurement takes
 * @param firstWarmUp the time that the application runs before anything is measured
 * @param warmUp the time that every variant of a table runs before its first measurement
 * @param threads the number of clients send at once
 * @param expired the number of expired records for the reaper
 * @param starts the number of application starts measured, of each kind
 * @param soak the time that each soak takes, from a minute
 * @param parts the parts to measure
 * @param variants the kinds of requests to measure, beside the baseline; all if empty
 */
record Options(long records, int rounds, Duration slice, Duration firstWarmUp, Duration warmUp, int threads,
		int expired, int starts, Duration soak, Set<Part> parts, Set<String> variants) {

	/**
	 * The rows of the tables, baselines aside. No name has a comma, which separates them.
	 */
	private static final Set<String> VARIANTS = Stream
		.concat(Stream.of("fresh", "the store alone", "a claim row alone", "record by hand", "claim and record by hand",
				"replay LEASED", "fresh LEASED", "fresh LEASED without @Transactional", "replay",
				"replay from the local cache", "409 in-progress", "422 key-reused", "optional key absent",
				"without the library", "fresh partitioned", "fresh of a million accounts"), SoakBenchmark.names())
		.collect(Collectors.toCollection(LinkedHashSet::new));

	/**
	 * A part of the run.
	 */
	enum Part {

		REQUESTS, HAND, HANDLERS, COMMITS, LIBRARY, CLIENTS, GENERATOR, BODIES, VIRTUAL, NODES, PARTITIONS, ACCOUNTS,
		SIZES, STORM, DATABASE, REAPER, SOAK, STARTS

	}

	static Options of(String[] arguments) {
		var source = new SimpleCommandLinePropertySource(arguments);
		return new Options(number(source, "records", 200_000), (int) number(source, "rounds", 12),
				Duration.ofMillis(number(source, "slice-ms", 500)),
				Duration.ofMillis(number(source, "first-warm-up-ms", 60_000)),
				Duration.ofMillis(number(source, "warm-up-ms", 8_000)), (int) number(source, "threads", 8),
				(int) number(source, "expired", 1_000_000), (int) number(source, "starts", 5),
				Duration.ofMinutes(number(source, "soak-minutes", 10)), parts(source.getProperty("only")),
				variants(source.getProperty("variants")));
	}

	private static Set<String> variants(@Nullable String names) {
		Set<String> chosen = (names == null) ? Set.of()
				: Stream.of(names.split(",")).map(String::strip).collect(Collectors.toSet());
		chosen.forEach(Options::requireKnown);
		return chosen;
	}

	private static void requireKnown(String variant) {
		if (!VARIANTS.contains(variant)) {
			throw new IllegalArgumentException("There is no variant '" + variant + "'; --variants takes some of "
					+ String.join(", ", VARIANTS) + ", separated by commas");
		}
	}

	boolean includes(Variant variant) {
		return includes(variant.name());
	}

	boolean includes(String variant) {
		requireKnown(variant);
		return this.variants.isEmpty() || this.variants.contains(variant);
	}

	private static Set<Part> parts(@Nullable String only) {
		return (only == null) ? EnumSet.allOf(Part.class)
				: Stream.of(only.split(","))
					.map((name) -> Part.valueOf(name.strip().toUpperCase(Locale.ROOT)))
					.collect(Collectors.toCollection(() -> EnumSet.noneOf(Part.class)));
	}

	private static long number(SimpleCommandLinePropertySource source, String name, long byDefault) {
		String value = source.getProperty(name);
		return (value != null) ? Long.parseLong(value) : byDefault;
	}

	/**
	 * More connections than clients.
	 */
	int poolSize() {
		return this.threads + 2;
	}

}
