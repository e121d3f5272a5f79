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
package dev.idempotency.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import dev.idempotency.IdempotencyNotification.StoreFailed;
import dev.idempotency.IdempotencyNotification.StorePhase;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.Lease;
import dev.idempotency.store.ReapedStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The heartbeats of a node.
 */
@ExtendWith(OutputCaptureExtension.class)
class LeaseKeeperTests {

	/**
	 * The time between two heartbeats is a third of it.
	 */
	private static final Duration SHORT = Duration.ofMillis(30);

	private final TestEngine test = new TestEngine();

	private final Lease lease = this.test.lease(1);

	private final AtomicInteger heartbeats = new AtomicInteger();

	private LeaseKeeper keeper = keeper(SHORT, Duration.ofMinutes(5));

	private LeaseKeeper keeper(Duration lease, Duration max) {
		return new LeaseKeeper(() -> this.test.store, TestEngine.leases(lease, max), this.test.publisher);
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofMinutes(1));
	}

	private void countNextHeartbeats(int number) {
		for (int i = 0; i < number; i++) {
			this.test.beforeNext("extend", this.heartbeats::incrementAndGet);
		}
	}

	@AfterEach
	void stop() {
		this.keeper.stop();
	}

	@Test
	void aLeaseThatIsHeldIsExtended() {
		this.keeper.start();
		this.keeper.startHeartbeat(this.lease);
		this.test.passTime(TestEngine.LEASE.plusSeconds(1));
		countNextHeartbeats(2);
		await().until(() -> this.heartbeats.get() == 2);
		assertThat(this.test.memory.probe(this.lease.identity())).isInstanceOf(ClaimResult.Held.class);
	}

	@Test
	void aLeaseThatWasHeldBeforeTheStartIsExtendedAfterIt() {
		this.keeper.startHeartbeat(this.lease);
		countNextHeartbeats(1);
		this.keeper.start();
		await().until(() -> this.heartbeats.get() == 1);
		assertThat(this.keeper.isRunning()).isTrue();
	}

	@Test
	void aFailureIsPublishedAndLoggedOnceAndTheNextHeartbeatComes(CapturedOutput output) {
		this.test.failNext("extend", TestEngine.lost());
		this.test.beforeNext("extend", () -> {
			throw new StackOverflowError("An error ends no heartbeat");
		});
		countNextHeartbeats(1);
		this.keeper.start();
		this.keeper.startHeartbeat(this.lease);
		await().until(() -> this.heartbeats.get() == 1);
		assertThat(this.test.notifications).filteredOn(StoreFailed.class::isInstance)
			.hasSize(2)
			.allSatisfy((failed) -> assertThat(((StoreFailed) failed).phase()).isEqualTo(StorePhase.EXTEND));
		assertThat(output.getAll().split("Leases could not be extended", -1)).hasSize(2);
	}

	@Test
	void aLeaseThatHasReachedItsMaximumIsExtendedNoMore() {
		Duration max = Duration.ofMillis(10);
		this.keeper = keeper(SHORT, max);
		Lease other = this.test.lease(2);
		this.keeper.start();
		this.keeper.startHeartbeat(this.lease);
		long start = System.nanoTime();
		await().until(() -> System.nanoTime() - start > max.toNanos());
		this.test.passTime(TestEngine.LEASE.plusSeconds(1));
		countNextHeartbeats(2);
		await().until(() -> {
			this.keeper.startHeartbeat(other);
			return this.heartbeats.get() == 2;
		});
		assertThat(this.test.memory.probe(this.lease.identity())).isInstanceOf(ClaimResult.Abandoned.class);
		assertThat(this.test.memory.probe(other.identity())).isInstanceOf(ClaimResult.Held.class);
	}

	@Test
	void aTransactionLocksALeaseAfterTheHeartbeatThatIsOnItsWay() throws InterruptedException {
		List<String> order = new CopyOnWriteArrayList<>();
		CountDownLatch sent = new CountDownLatch(1);
		CountDownLatch arrived = new CountDownLatch(1);
		this.test.beforeNext("extend", () -> {
			sent.countDown();
			assertThatNoException().isThrownBy(arrived::await);
			order.add("extended");
		});
		this.keeper.start();
		this.keeper.startHeartbeat(this.lease);
		sent.await();
		Thread locking = new Thread(() -> this.keeper.lock(this.lease, () -> order.add("locked")));
		locking.start();
		await()
			.until(() -> locking.getState() == Thread.State.WAITING || locking.getState() == Thread.State.TERMINATED);
		arrived.countDown();
		locking.join();
		assertThat(order).startsWith("extended", "locked");
	}

	@Test
	void aLeaseThatIsBeingLockedIsLeftOutOfHeartbeats() {
		Lease other = this.test.lease(2);
		this.keeper.start();
		this.keeper.startHeartbeat(this.lease);
		this.keeper.startHeartbeat(other);
		boolean locked = this.keeper.lock(this.lease, () -> {
			this.test.passTime(TestEngine.LEASE.plusSeconds(1));
			countNextHeartbeats(2);
			await().until(() -> this.heartbeats.get() == 2);
			assertThat(this.test.memory.probe(this.lease.identity())).isInstanceOf(ClaimResult.Abandoned.class);
			assertThat(this.test.memory.probe(other.identity())).isInstanceOf(ClaimResult.Held.class);
			return true;
		});
		assertThat(locked).isTrue();
		countNextHeartbeats(2);
		await().until(() -> this.heartbeats.get() == 4);
		assertThat(this.test.memory.probe(this.lease.identity())).isInstanceOf(ClaimResult.Held.class);
	}

	@Test
	void theLeasesOfANodeThatStopsAreGivenUp() {
		this.keeper.start();
		this.keeper.startHeartbeat(this.lease);
		this.keeper.stop();
		assertThat(this.keeper.isRunning()).isFalse();
		assertThat(this.test.memory.probe(this.lease.identity())).isInstanceOf(ClaimResult.Abandoned.class);
	}

	@Test
	void aHeartbeatThatIsUnderWayEndsBeforeTheyAreGivenUp() {
		List<String> events = new CopyOnWriteArrayList<>();
		CountDownLatch underWay = new CountDownLatch(1);
		this.test.beforeNext("extend", () -> {
			underWay.countDown();
			awaitInterruption();
			events.add("extended");
		});
		this.test.beforeNext("abandon", () -> events.add("given up"));
		// The keeper waits for a heartbeat as long as a lease lasts.
		this.keeper = keeper(Duration.ofSeconds(3), Duration.ofMinutes(5));
		this.keeper.start();
		this.keeper.startHeartbeat(this.lease);
		await().until(() -> underWay.getCount() == 0);
		this.keeper.stop();
		assertThat(events).containsExactly("extended", "given up");
		assertThat(this.test.memory.probe(this.lease.identity())).isInstanceOf(ClaimResult.Abandoned.class);
	}

	private static void awaitInterruption() {
		try {
			new CountDownLatch(1).await();
		}
		catch (InterruptedException ex) {
			// The keeper is being stopped.
		}
	}

	@Test
	void aFailureToGiveThemUpIsLoggedAndDoesNotPreventTheStop(CapturedOutput output) {
		this.test.failNext("abandon", TestEngine.lost());
		this.keeper.start();
		this.keeper.startHeartbeat(this.lease);
		this.keeper.stop();
		assertThat(this.test.memory.probe(this.lease.identity())).isInstanceOf(ClaimResult.Held.class);
		assertThat(output).contains("Leases could not be given up, they expire");
	}

	@Test
	void itsThreadDoesNotKeepTheProcessAlive() {
		List<Thread> threads = new CopyOnWriteArrayList<>();
		this.test.beforeNext("extend", () -> threads.add(Thread.currentThread()));
		this.keeper.start();
		this.keeper.startHeartbeat(this.lease);
		await().until(() -> !threads.isEmpty());
		assertThat(threads).singleElement().satisfies((thread) -> assertThat(thread.isDaemon()).isTrue());
	}

	@Test
	void aThreadThatIsInterruptedWhileItStopsTheKeeperStaysInterrupted() {
		this.keeper.start();
		this.keeper.startHeartbeat(this.lease);
		Thread.currentThread().interrupt();
		this.keeper.stop();
		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.test.memory.probe(this.lease.identity())).isInstanceOf(ClaimResult.Abandoned.class);
	}

	@Test
	void aStoreWithoutLeasesIsRefused() {
		assertThat(LeaseKeeper.requireLeases(this.test.memory, "pay")).isSameAs(this.test.memory);
		assertThatExceptionOfType(InvalidIdempotentException.class)
			.isThrownBy(() -> LeaseKeeper.requireLeases(ReapedStore.of((limit) -> 0), "pay"))
			.withMessageContaining("pay runs under a lease");
	}

}
