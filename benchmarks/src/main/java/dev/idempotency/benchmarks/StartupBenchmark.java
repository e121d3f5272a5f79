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

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

import dev.idempotency.benchmarks.app.MeasuredApplication;
import dev.idempotency.benchmarks.load.Spread;
import dev.idempotency.benchmarks.load.UsageMeter;
import dev.idempotency.testsupport.TestDatabase;

/**
 * Measures the start-up time that the starter adds: in new JVMs, with and without it in
 * turn, on a database with existing tables.
 */
final class StartupBenchmark {

	private static final String PREFIX = "started in ms: ";

	private final TestDatabase database;

	private final Options options;

	private final Report report;

	StartupBenchmark(TestDatabase database, Options options, Report report) {
		this.database = database;
		this.options = options;
		this.report = report;
	}

	void run() throws IOException, InterruptedException {
		List<Start> with = new ArrayList<>();
		List<Start> without = new ArrayList<>();
		this.report.heading("Start-up");
		start(true);
		for (int i = 0; i < this.options.starts(); i++) {
			without.add(start(false));
			with.add(start(true));
		}
		print("Start-up", with, without, Start::millis);
		print("Start-up, processor time", with, without, Start::cpuMillis);
	}

	private void print(String name, List<Start> with, List<Start> without, ToDoubleFunction<Start> figure) {
		List<Double> differences = new ArrayList<>();
		for (int i = 0; i < with.size(); i++) {
			differences.add(figure.applyAsDouble(with.get(i)) - figure.applyAsDouble(without.get(i)));
		}
		Spread difference = Spread.of(differences);
		this.report.line(String.format(Locale.ROOT,
				"%s: %.0f ms with the starter, %.0f ms with idempotency.enabled=false (medians of %d); "
						+ "difference of neighbours %.0f ms (min %.0f, max %.0f)",
				name, median(with, figure), median(without, figure), with.size(), difference.median(), difference.min(),
				difference.max()));
	}

	private static double median(List<Start> starts, ToDoubleFunction<Start> figure) {
		return Spread.of(starts.stream().map(figure::applyAsDouble).toList()).median();
	}

	private Start start(boolean enabled) throws IOException, InterruptedException {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
						System.getProperty("java.class.path"), StartupBenchmark.class.getName()));
		command.addAll(MeasuredApplication.arguments(this.database, this.options.poolSize()));
		command.add("--idempotency.enabled=" + enabled);
		Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		process.waitFor();
		return output.lines()
			.filter((line) -> line.startsWith(PREFIX))
			.map((line) -> Start.parse(line.substring(PREFIX.length())))
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("The application did not start: " + output));
	}

	public static void main(String[] arguments) {
		long cpuStart = UsageMeter.cpuNanos(ProcessHandle.current());
		long start = System.nanoTime();
		try (var context = MeasuredApplication.run(arguments)) {
			double millis = (System.nanoTime() - start) / 1e6;
			double cpuMillis = (UsageMeter.cpuNanos(ProcessHandle.current()) - cpuStart) / 1e6;
			System.out.println(PREFIX + millis + " " + cpuMillis);
		}
	}

	/**
	 * One start of an application.
	 *
	 * @param millis the time that it took
	 * @param cpuMillis the processor time, that of compiling in the background included
	 */
	private record Start(double millis, double cpuMillis) {

		static Start parse(String text) {
			String[] parts = text.split(" ");
			return new Start(Double.parseDouble(parts[0]), Double.parseDouble(parts[1]));
		}

	}

}
