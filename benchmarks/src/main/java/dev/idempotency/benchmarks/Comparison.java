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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Measures variants against a baseline. In every round each variant is measured between
 * two measurements of the baseline, and divided by the mean of these two: what changes
 * slowly on the machine, changes both.
 */
final class Comparison {

	private final Load load;

	private final Options options;

	private final Variant baseline;

	private final List<Variant> variants;

	Comparison(Load load, Options options, Variant baseline, List<Variant> variants) {
		this.load = load;
		this.options = options;
		this.baseline = baseline;
		this.variants = variants;
	}

	/**
	 * Measure, and print a table.
	 */
	void run() {
		this.load.run(this.baseline, this.options.warmUp());
		this.variants.forEach((variant) -> this.load.run(variant, this.options.warmUp()));
		List<Sample> baselines = new ArrayList<>();
		Map<Variant, Measured> measured = new LinkedHashMap<>();
		this.variants.forEach((variant) -> measured.put(variant, new Measured()));
		for (int round = 0; round < this.options.rounds(); round++) {
			Sample before = measure(this.baseline, baselines);
			for (Variant variant : this.variants) {
				Measured of = measured.get(variant);
				Sample sample = measure(variant, (of != null) ? of.samples() : new ArrayList<>());
				Sample after = measure(this.baseline, baselines);
				if (of != null) {
					of.ratios()
						.add(sample.requestsPerSecond() * 2 / (before.requestsPerSecond() + after.requestsPerSecond()));
					of.cpuRatios()
						.add(sample.requestsPerCpuSecond() * 2
								/ (before.requestsPerCpuSecond() + after.requestsPerCpuSecond()));
				}
				before = after;
			}
		}
		print(baselines, measured);
	}

	private Sample measure(Variant variant, List<Sample> samples) {
		Sample sample = this.load.run(variant, this.options.slice());
		samples.add(sample);
		return sample;
	}

	private void print(List<Sample> baselines, Map<Variant, Measured> measured) {
		System.out.println("| variant | throughput ratio: median (min - max) | per CPU time: median (min - max) "
				+ "| requests/s | p50 ms | p99 ms |");
		System.out.println("|---|---|---|---|---|---|");
		printRow(this.baseline.name() + " against itself", new Measured(baselines,
				neighbours(baselines, Sample::requestsPerSecond), neighbours(baselines, Sample::requestsPerCpuSecond)));
		measured.forEach((variant, of) -> printRow(variant.name(), of));
		System.out.println();
	}

	/**
	 * The baseline against its next measurement: how much two ratios differ by noise
	 * alone.
	 */
	private static List<Double> neighbours(List<Sample> baselines, ToDoubleFunction<Sample> figure) {
		List<Double> ratios = new ArrayList<>();
		for (int i = 1; i < baselines.size(); i++) {
			ratios.add(figure.applyAsDouble(baselines.get(i)) / figure.applyAsDouble(baselines.get(i - 1)));
		}
		return ratios;
	}

	private static void printRow(String name, Measured measured) {
		Sample all = Sample.merge(measured.samples());
		System.out.println(String.format(Locale.ROOT, "| %s | %s | %s | %.0f | %.2f | %.2f |", name,
				Spread.of(measured.ratios()), Spread.of(measured.cpuRatios()), all.requestsPerSecond(),
				all.percentile(50), all.percentile(99)));
	}

	private record Measured(List<Sample> samples, List<Double> ratios, List<Double> cpuRatios) {

		Measured() {
			this(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
		}

	}

}
