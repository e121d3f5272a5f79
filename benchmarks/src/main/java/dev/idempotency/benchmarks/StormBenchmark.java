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
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

import dev.idempotency.benchmarks.app.MeasuredApplication;
import dev.idempotency.benchmarks.load.BlockedOwner;
import dev.idempotency.benchmarks.load.Load;
import dev.idempotency.benchmarks.load.Sample;
import dev.idempotency.benchmarks.load.SocketLoad;
import dev.idempotency.benchmarks.load.UsageMeter;
import dev.idempotency.benchmarks.load.Variant;

/**
 * Measures the influence of duplicates of an unfinished request on other requests. Any
 * concurrent load takes processor time from them: the comparison is with as many requests
 * that touch neither the library nor the database.
 */
final class StormBenchmark {

	private static final int STORMING = 4;

	private final MeasuredApplication application;

	private final Options options;

	private final Report report;

	StormBenchmark(MeasuredApplication application, Options options, Report report) {
		this.application = application;
		this.options = options;
		this.report = report;
	}

	void run() throws Exception {
		Variant fresh = Variant.fresh("fresh", this.application);
		Variant control = Variant.ping(this.application);
		UsageMeter meter = new UsageMeter(this.application.jdbc());
		List<Sample> besideControl = new ArrayList<>();
		List<Sample> besideStorm = new ArrayList<>();
		try (BlockedOwner owner = BlockedOwner.start(this.application);
				Load load = new SocketLoad(this.options.threads(), meter);
				Load other = new SocketLoad(STORMING, meter)) {
			Variant storm = Variant.duplicate(this.application, owner.key());
			load.run(fresh, this.options.warmUp());
			other.run(storm, this.options.warmUp());
			for (int round = 0; round < this.options.rounds(); round++) {
				besideControl.add(beside(load, fresh, other, control));
				besideStorm.add(beside(load, fresh, other, storm));
			}
		}
		Sample calm = Sample.merge(besideControl);
		Sample stormy = Sample.merge(besideStorm);
		this.report.heading("Fresh requests beside " + STORMING + " clients that send duplicates of one in flight");
		this.report.line(String.format(Locale.ROOT,
				"p99 %.2f ms instead of %.2f ms beside as many that do nothing, ratio %.2f; throughput ratio %.2f",
				stormy.percentile(99), calm.percentile(99), stormy.percentile(99) / calm.percentile(99),
				stormy.requestsPerSecond() / calm.requestsPerSecond()));
	}

	private Sample beside(Load load, Variant measured, Load other, Variant disturbing) {
		CompletableFuture<Sample> disturbance = CompletableFuture
			.supplyAsync(() -> other.run(disturbing, this.options.slice()));
		Sample sample = load.run(measured, this.options.slice());
		disturbance.join();
		return sample;
	}

}
