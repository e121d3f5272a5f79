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
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import dev.idempotency.benchmarks.app.MeasuredApplication;
import dev.idempotency.benchmarks.load.Load;
import dev.idempotency.benchmarks.load.RecordTable;
import dev.idempotency.benchmarks.load.RecordTable.Expiry;
import dev.idempotency.benchmarks.load.Sample;
import dev.idempotency.benchmarks.load.Spread;
import dev.idempotency.benchmarks.load.Usage;
import dev.idempotency.benchmarks.load.UsageMeter;
import dev.idempotency.benchmarks.load.Variant;

/**
 * Measures the throughput of deleting expired records, and its influence on concurrent
 * requests.
 */
final class ReaperBenchmark {

	private static final int BATCH = 5000;

	private static final Duration PAUSE = Duration.ofMillis(50);

	private final MeasuredApplication application;

	private final Load load;

	private final Options options;

	private final Report report;

	ReaperBenchmark(MeasuredApplication application, Load load, Options options, Report report) {
		this.application = application;
		this.load = load;
		this.options = options;
		this.report = report;
	}

	void run() {
		this.report.heading("The reaper");
		RecordTable table = new RecordTable(this.application.jdbc());
		for (Expiry expiry : Expiry.values()) {
			table.addExpired(this.options.expired(), expiry);
			throughput(expiry);
		}
		for (Expiry expiry : Expiry.values()) {
			table.addExpired(this.options.expired(), expiry);
			effectOnRequests(expiry);
		}
	}

	private void throughput(Expiry expiry) {
		List<Double> rates = new ArrayList<>();
		long all = 0;
		UsageMeter meter = new UsageMeter(this.application.jdbc());
		Usage before = meter.read();
		long start = System.nanoTime();
		int deleted;
		do {
			long batchStart = System.nanoTime();
			deleted = this.application.store().deleteExpired(BATCH);
			if (deleted > 0) {
				rates.add(deleted * 1e9 / (System.nanoTime() - batchStart));
			}
			all += deleted;
		}
		while (deleted == BATCH);
		Spread spread = Spread.of(rates);
		this.report.line(String.format(Locale.ROOT,
				"Reaper alone, expiry %s: %d records in batches of %d, %.0f rows/s, %.0f rows per second of processor time; "
						+ "a batch %.0f (min %.0f, max %.0f) rows/s",
				expiry, all, BATCH, all * 1e9 / (System.nanoTime() - start),
				all * 1e9 / meter.read().minus(before).cpuNanos(), spread.median(), spread.min(), spread.max()));
	}

	/**
	 * Slices with and without a reaper at work, one after the other.
	 */
	private void effectOnRequests(Expiry expiry) {
		Variant fresh = Variant.fresh("fresh", this.application);
		List<Sample> without = new ArrayList<>();
		List<Sample> with = new ArrayList<>();
		for (int round = 0; round < this.options.rounds(); round++) {
			without.add(this.load.run(fresh, this.options.slice()));
			ScheduledExecutorService reaper = Executors.newSingleThreadScheduledExecutor();
			reaper.scheduleWithFixedDelay(() -> this.application.store().deleteExpired(BATCH), 0, PAUSE.toMillis(),
					TimeUnit.MILLISECONDS);
			with.add(this.load.run(fresh, this.options.slice()));
			reaper.shutdown();
			awaitEnd(reaper);
		}
		Sample alone = Sample.merge(without);
		Sample beside = Sample.merge(with);
		this.report.line(String.format(Locale.ROOT,
				"Fresh requests beside a reaper, expiry %s (pause %d ms): p99 %.2f ms instead of %.2f ms, ratio %.2f; "
						+ "throughput ratio %.2f",
				expiry, PAUSE.toMillis(), beside.percentile(99), alone.percentile(99),
				beside.percentile(99) / alone.percentile(99), beside.requestsPerSecond() / alone.requestsPerSecond()));
	}

	private static void awaitEnd(ScheduledExecutorService reaper) {
		try {
			if (!reaper.awaitTermination(1, TimeUnit.MINUTES)) {
				throw new IllegalStateException("A batch takes more than a minute");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

}
