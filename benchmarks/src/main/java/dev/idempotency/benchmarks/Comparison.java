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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

import dev.idempotency.benchmarks.load.Load;
import dev.idempotency.benchmarks.load.Sample;
import dev.idempotency.benchmarks.load.Spread;
import dev.idempotency.benchmarks.load.Variant;

/**
 * Measures variants against a baseline. In every round each variant is measured between
 * two measurements of the baseline, and divided by the mean of these two: what changes
 * slowly on the machine, changes both.
 */
final class Comparison {

	private final Load load;

	private final Options options;

	private final Report report;

	private final Variant baseline;

	private final Map<Variant, List<Pair>> measured = new LinkedHashMap<>();

	private final List<Sample> baselines = new ArrayList<>();

	Comparison(Load load, Options options, Report report, Variant baseline, Variant... variants) {
		this.load = load;
		this.options = options;
		this.report = report;
		this.baseline = baseline;
		for (Variant variant : variants) {
			if (options.includes(variant)) {
				this.measured.put(variant, new ArrayList<>());
			}
		}
	}

	/**
	 * Measures, and adds a table to the report.
	 * @param heading the heading
	 */
	void run(String heading) {
		List<Variant> variants = new ArrayList<>(List.of(this.baseline));
		variants.addAll(this.measured.keySet());
		this.load.warmUp(variants, this.options.warmUp());
		this.baselines.add(this.load.run(this.baseline, this.options.slice()));
		long start = System.nanoTime();
		for (int round = 0; round < this.options.rounds(); round++) {
			this.measured.forEach((variant, pairs) -> {
				Sample before = this.baselines.get(this.baselines.size() - 1);
				Sample sample = this.load.run(variant, this.options.slice());
				Sample after = this.load.run(this.baseline, this.options.slice());
				this.baselines.add(after);
				pairs.add(new Pair(sample, before, after));
			});
			this.report.progress(heading + ", rounds", round + 1, this.options.rounds(),
					Duration.ofNanos(System.nanoTime() - start));
		}
		print(heading);
	}

	private void print(String heading) {
		this.report.heading(heading);
		this.report.line("| variant | µs a request | application | database | of the unprotected µs "
				+ "| requests/s against all controls | against the two beside it: median (min - max) "
				+ "| per CPU time: median (min - max) | p50 ratio | p99 ratio | requests/s | p50 ms | p99 ms "
				+ "| KB allocated |");
		this.report.line("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
		List<Pair> noise = new ArrayList<>();
		for (int i = 2; i < this.baselines.size(); i += 2) {
			noise.add(new Pair(this.baselines.get(i - 1), this.baselines.get(i - 2), this.baselines.get(i)));
		}
		row(this.baseline.name() + " against itself", noise);
		this.measured.forEach((variant, pairs) -> {
			row(variant.name(), pairs);
			this.report.plot(heading, variant.name(), ratio(pairs, Sample::requestsPerSecond).median(),
					ratio(pairs, Sample::requestsPerCpuSecond).median());
		});
	}

	private void row(String name, List<Pair> pairs) {
		Sample all = Sample.merge(pairs.stream().map(Pair::sample).toList());
		this.report.line(String.format(Locale.ROOT,
				"| %s | %.0f | %.0f | %.0f | %.2f | %.2f | %s | %s | %.2f | %.2f | %.0f | %.2f | %.2f | %.1f |", name,
				all.micros(), all.requestMicros(), all.databaseMicros(),
				all.micros() / Sample.merge(this.baselines).micros(),
				median(pairs.stream().map(Pair::sample)) / median(this.baselines.stream()),
				ratio(pairs, Sample::requestsPerSecond), ratio(pairs, Sample::requestsPerCpuSecond),
				ratio(pairs, (sample) -> sample.percentile(50)).median(),
				ratio(pairs, (sample) -> sample.percentile(99)).median(), all.requestsPerSecond(), all.percentile(50),
				all.percentile(99), all.allocatedPerRequest()));
	}

	private static double median(Stream<Sample> samples) {
		return Spread.of(samples.map(Sample::requestsPerSecond).toList()).median();
	}

	private static Spread ratio(List<Pair> pairs, ToDoubleFunction<Sample> figure) {
		return Spread.of(pairs.stream().map((pair) -> pair.ratio(figure)).toList());
	}

	/**
	 * A measurement between two of the baseline.
	 */
	private record Pair(Sample sample, Sample before, Sample after) {

		double ratio(ToDoubleFunction<Sample> figure) {
			return figure.applyAsDouble(this.sample) * 2
					/ (figure.applyAsDouble(this.before) + figure.applyAsDouble(this.after));
		}

	}

}
