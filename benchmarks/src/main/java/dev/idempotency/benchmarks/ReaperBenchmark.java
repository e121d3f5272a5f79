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

/**
 * How fast expired records are deleted, and what that does to requests meanwhile.
 */
final class ReaperBenchmark {

	private static final int BATCH = 5000;

	private static final Duration PAUSE = Duration.ofMillis(50);

	private final MeasuredApplication application;

	private final Load load;

	private final Options options;

	ReaperBenchmark(MeasuredApplication application, Load load, Options options) {
		this.application = application;
		this.load = load;
		this.options = options;
	}

	void run() {
		RecordTable table = new RecordTable(this.application.jdbc());
		table.addExpired(this.options.expired());
		throughput();
		table.addExpired(this.options.expired());
		effectOnRequests();
	}

	private void throughput() {
		List<Double> rates = new ArrayList<>();
		long all = 0;
		CpuClock clock = new CpuClock(this.application.jdbc());
		long cpuStart = clock.nanos();
		long start = System.nanoTime();
		int deleted;
		do {
			long before = System.nanoTime();
			deleted = this.application.store().deleteExpired(BATCH);
			if (deleted > 0) {
				rates.add(deleted * 1e9 / (System.nanoTime() - before));
			}
			all += deleted;
		}
		while (deleted == BATCH);
		Spread spread = Spread.of(rates);
		System.out.println(String.format(Locale.ROOT,
				"Reaper alone: %d records in batches of %d, %.0f rows/s, %.0f rows per second of processor time; "
						+ "a batch %.0f (min %.0f, max %.0f) rows/s",
				all, BATCH, all * 1e9 / (System.nanoTime() - start), all * 1e9 / (clock.nanos() - cpuStart),
				spread.median(), spread.min(), spread.max()));
	}

	/**
	 * Slices with and without a reaper at work, one after the other.
	 */
	private void effectOnRequests() {
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
		System.out.println(String.format(Locale.ROOT,
				"Fresh requests beside a reaper (pause %d ms): p99 %.2f ms instead of %.2f ms, ratio %.2f; "
						+ "throughput ratio %.2f%n",
				PAUSE.toMillis(), beside.percentile(99), alone.percentile(99),
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
