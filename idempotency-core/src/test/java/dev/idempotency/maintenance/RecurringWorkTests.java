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

package dev.idempotency.maintenance;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import dev.idempotency.IdempotencyNotification.StoreFailed;
import dev.idempotency.engine.NotificationPublisher;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.maintenance.RecurringWork.Messages;
import dev.idempotency.maintenance.RecurringWork.Threads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The health of a worker, its reports, and its end.
 */
@ExtendWith(OutputCaptureExtension.class)
class RecurringWorkTests {

	private static final Duration OFTEN = Duration.ofMillis(1);

	private RecurringWork work = work(() -> OFTEN);

	@AfterEach
	void stop() {
		this.work.stop();
	}

	private static RecurringWork work(Supplier<Duration> turn) {
		return new RecurringWork(
				new Threads("worker-", 1, Duration.ofMillis(10)), OFTEN, new Messages(LogEvent.REAPER_FAILED,
						"The work fails", LogEvent.REAPER_RECOVERED, "The work is done", StoreFailed.reaping()),
				new NotificationPublisher(List.of())) {

			@Override
			Duration run(BooleanSupplier stopping) {
				return turn.get();
			}

		};
	}

	@Test
	void aWorkerIsAliveBetweenItsStartAndItsStop() {
		assertThat(this.work.isAlive()).isFalse();
		this.work.start();
		assertThat(this.work.isAlive()).isTrue();
		this.work.stop();
		assertThat(this.work.isAlive()).isFalse();
	}

	@Test
	void itsLastRunIsTheEndOfItsLastSuccessfulTurn() {
		assertThat(this.work.lastRun()).isNull();
		Instant before = Instant.now();
		this.work.start();
		await().untilAsserted(() -> assertThat(this.work.lastRun()).isAfterOrEqualTo(before));
	}

	@Test
	void aTurnThatFailsIsNoRun() {
		AtomicInteger turns = new AtomicInteger();
		this.work = work(() -> {
			turns.incrementAndGet();
			throw new IllegalStateException("failed");
		});
		this.work.start();
		await().until(() -> turns.get() > 2);
		assertThat(this.work.lastRun()).isNull();
	}

	@Test
	void aRecoveryIsReportedAfterAFailureOnly(CapturedOutput output) {
		AtomicInteger turns = new AtomicInteger();
		AtomicReference<String> before = new AtomicReference<>();
		this.work = work(() -> {
			if (turns.incrementAndGet() == 3) {
				before.set(output.getAll());
				throw new IllegalStateException("failed");
			}
			return OFTEN;
		});
		this.work.start();
		await().until(() -> turns.get() > 6);
		assertThat(before.get()).doesNotContain("The work is done");
		assertThat(output.getAll().split("The work fails", -1)).hasSize(2);
		assertThat(output.getAll().split("The work is done", -1)).hasSize(2);
	}

	@Test
	void aTurnThatDoesNotEndInTimeIsInterruptedByTheStop() {
		CountDownLatch running = new CountDownLatch(1);
		AtomicReference<Thread> interrupted = new AtomicReference<>();
		this.work = work(() -> {
			running.countDown();
			try {
				new CountDownLatch(1).await();
			}
			catch (InterruptedException ex) {
				interrupted.set(Thread.currentThread());
			}
			return OFTEN;
		});
		this.work.start();
		await().until(() -> running.getCount() == 0);
		this.work.stop();
		await().until(() -> interrupted.get() != null);
	}

	@Test
	void aThreadThatIsInterruptedWhileItStopsTheWorkStaysInterrupted() {
		this.work.start();
		Thread.currentThread().interrupt();
		this.work.stop();
		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.work.isRunning()).isFalse();
	}

}
