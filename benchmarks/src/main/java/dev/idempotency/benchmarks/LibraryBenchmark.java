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

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import dev.idempotency.jmh.EngineBenchmark;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * The cost of the library without network and database: {@link EngineBenchmark}.
 */
final class LibraryBenchmark {

	private static final String ALLOCATED = "gc.alloc.rate.norm";

	private final Report report;

	LibraryBenchmark(Report report) {
		this.report = report;
	}

	void run() throws RunnerException {
		List<RunResult> results = new ArrayList<>(run("100", 20));
		results.addAll(run("65536", 8));
		Map<String, RunResult> bySize = new TreeMap<>();
		results.forEach((result) -> bySize.put(name(result), result));
		this.report.heading("The library alone: Spring MVC without a network, a store in memory");
		this.report.line("| request, bytes of the body | µs | error | ratio of time | KB allocated | ratio |");
		this.report.line("|---|---|---|---|---|---|");
		bySize.forEach((name, result) -> {
			RunResult baseline = Objects.requireNonNull(bySize.get(size(result) + " unprotected"));
			this.report.line(String.format(Locale.ROOT, "| %s | %.1f | %.1f | %.2f | %.1f | %.2f |", name, time(result),
					result.getPrimaryResult().getScoreError(), time(result) / time(baseline), kilobytes(result),
					kilobytes(result) / kilobytes(baseline)));
		});
	}

	/**
	 * Runs the benchmarks.
	 * @param size the size of the body
	 * @param warmUps the number of seconds that the compiler takes to finish
	 */
	private static Collection<RunResult> run(String size, int warmUps) throws RunnerException {
		return new Runner(new OptionsBuilder().include(EngineBenchmark.class.getName())
			.param("size", size)
			.warmupIterations(warmUps)
			.addProfiler(GCProfiler.class)
			.verbosity(VerboseMode.SILENT)
			.shouldFailOnError(true)
			.build()).run();
	}

	private static String name(RunResult result) {
		String benchmark = result.getParams().getBenchmark();
		return size(result) + " " + benchmark.substring(benchmark.lastIndexOf('.') + 1);
	}

	private static String size(RunResult result) {
		return result.getParams().getParam("size");
	}

	private static double time(RunResult result) {
		return result.getPrimaryResult().getScore();
	}

	private static double kilobytes(RunResult result) {
		return Objects.requireNonNull(result.getSecondaryResults().get(ALLOCATED)).getScore() / 1024;
	}

}
