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
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import dev.idempotency.IdempotencyNotification;
import dev.idempotency.IdempotencyNotification.Expired;
import dev.idempotency.IdempotencyNotification.StoreFailed;
import dev.idempotency.IdempotencyNotification.Stuck;
import dev.idempotency.engine.NotificationPublisher;
import dev.idempotency.engine.TestEngine;
import dev.idempotency.maintenance.IdempotencyReaper.Schedule;
import dev.idempotency.store.ReapedStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The schedule of the reaper, and its log lines.
 */
@Tag("T3")
@ExtendWith(OutputCaptureExtension.class)
class IdempotencyReaperTests {

	private static final Duration OFTEN = Duration.ofMillis(1);

	private static final Duration NEVER = Duration.ofDays(365);

	private final List<IdempotencyNotification> notifications = new CopyOnWriteArrayList<>();

	private final List<IdempotencyReaper> started = new CopyOnWriteArrayList<>();

	@AfterEach
	void stop() {
		this.started.forEach(IdempotencyReaper::stop);
	}

	private IdempotencyReaper create(IntUnaryOperator deletion, Duration interval) {
		return new IdempotencyReaper(ReapedStore.of(deletion), null,
				new NotificationPublisher(List.of(this.notifications::add)),
				new Schedule(interval, 12, Duration.ofDays(7), Duration.ofDays(30)));
	}

	private IdempotencyReaper start(IntUnaryOperator deletion, Duration interval) {
		IdempotencyReaper reaper = create(deletion, interval);
		this.started.add(reaper);
		reaper.start();
		return reaper;
	}

	@Test
	void aFullBatchIsFollowedByTheNextOneAndTheLastOneByTheInterval() {
		AtomicInteger batches = new AtomicInteger();
		IdempotencyReaper reaper = create((limit) -> (batches.incrementAndGet() <= 2) ? limit : limit - 1, NEVER);
		assertThat(reaper.run(() -> false)).isPositive().isLessThan(Duration.ofSeconds(1));
		assertThat(reaper.run(() -> false)).isLessThan(Duration.ofSeconds(1));
		assertThat(reaper.run(() -> false)).isGreaterThan(NEVER.dividedBy(2));
		assertThat(this.notifications).containsExactly(new Expired(IdempotencyReaper.BATCH_SIZE),
				new Expired(IdempotencyReaper.BATCH_SIZE), new Expired(IdempotencyReaper.BATCH_SIZE - 1));
	}

	@Test
	void runsFollowEachOtherAfterTheInterval() {
		start((limit) -> 9, OFTEN);
		await().untilAsserted(() -> assertThat(this.notifications).startsWith(new Expired(9), new Expired(9)));
	}

	@Test
	void aRequestThatIsLeftToItsSenderForTooLongIsPublishedAsStuckOnce() {
		TestEngine test = new TestEngine();
		test.lease(1);
		IdempotencyReaper reaper = new IdempotencyReaper(test.store, test.memory.unfinished("test"), test.publisher,
				new Schedule(NEVER, 12, Duration.ofDays(7), Duration.ofDays(30)));
		reaper.run(() -> false);
		assertThat(test.notifications).isEmpty();
		test.passTime(Duration.ofDays(8));
		reaper.run(() -> false);
		reaper.run(() -> false);
		assertThat(test.notifications).containsExactly(new Stuck("pay"));
	}

	@Test
	void nothingToDeleteIsNoEvent() {
		CountDownLatch runs = new CountDownLatch(3);
		start((limit) -> {
			runs.countDown();
			return 0;
		}, OFTEN);
		await().until(() -> runs.getCount() == 0);
		assertThat(this.notifications).isEmpty();
	}

	@Test
	void aFailureIsLoggedOncePerStreakAndTheNextRunGoesOn(CapturedOutput output) {
		AtomicInteger runs = new AtomicInteger();
		start((limit) -> {
			int run = runs.incrementAndGet();
			if (run <= 3 || run == 5) {
				throw new IllegalStateException("no connection");
			}
			return 1;
		}, OFTEN);
		await().untilAsserted(() -> assertThat(this.notifications).startsWith(StoreFailed.reaping(),
				StoreFailed.reaping(), StoreFailed.reaping(), new Expired(1), StoreFailed.reaping(), new Expired(1)));
		assertThat(output.getOut().split("Expired records cannot be deleted", -1)).hasSize(3);
		await().untilAsserted(
				() -> assertThat(output.getOut().split("Expired records can be deleted again", -1)).hasSize(3));
	}

	@Test
	void itsThreadIsADaemonAndEndsWithIt() throws InterruptedException {
		AtomicReference<Thread> thread = new AtomicReference<>();
		IdempotencyReaper reaper = start((limit) -> {
			thread.set(Thread.currentThread());
			return 0;
		}, OFTEN);
		await().until(() -> thread.get() != null);
		assertThat(thread.get().isDaemon()).isTrue();
		assertThat(thread.get().getName()).startsWith("idempotency-reaper-");
		reaper.stop();
		assertThat(reaper.isRunning()).isFalse();
		thread.get().join(30_000);
		assertThat(thread.get().isAlive()).isFalse();
	}

	@Test
	void aShutdownDoesNotWaitForTheNextRun() {
		IdempotencyReaper reaper = start((limit) -> 0, NEVER);
		assertThat(reaper.isRunning()).isTrue();
		reaper.stop();
		assertThat(reaper.isRunning()).isFalse();
	}

	@Test
	void aShutdownWaitsForTheBatchThatIsBeingDeleted() throws InterruptedException {
		CountDownLatch deleting = new CountDownLatch(1);
		CountDownLatch finish = new CountDownLatch(1);
		IdempotencyReaper reaper = start((limit) -> {
			deleting.countDown();
			awaitUninterrupted(finish);
			return 7;
		}, OFTEN);
		assertThat(deleting.await(30, TimeUnit.SECONDS)).isTrue();
		Thread stopping = new Thread(reaper::stop);
		stopping.start();
		await().until(() -> stopping.getState() == Thread.State.TIMED_WAITING);
		assertThat(this.notifications).isEmpty();
		finish.countDown();
		stopping.join();
		assertThat(this.notifications).containsExactly(new Expired(7));
	}

	private static void awaitUninterrupted(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void itStartsAgainAfterAStop() {
		AtomicInteger runs = new AtomicInteger();
		IdempotencyReaper reaper = start((limit) -> {
			runs.incrementAndGet();
			return 0;
		}, OFTEN);
		await().until(() -> runs.get() > 0);
		reaper.stop();
		int before = runs.get();
		reaper.start();
		await().until(() -> runs.get() > before);
	}

	@Test
	void nodesDoNotRunInStep() {
		Duration interval = Duration.ofMinutes(1);
		for (int i = 0; i < 1000; i++) {
			assertThat(RecurringWork.first(interval)).isBetween(Duration.ZERO, interval);
			assertThat(RecurringWork.next(interval)).isBetween(Duration.ofSeconds(54), Duration.ofSeconds(66));
		}
		assertThat(Stream.generate(() -> RecurringWork.first(interval)).limit(100).distinct()).hasSizeGreaterThan(90);
	}

}
