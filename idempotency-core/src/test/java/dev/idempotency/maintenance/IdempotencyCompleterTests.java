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
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import dev.idempotency.IdempotencyNotification;
import dev.idempotency.IdempotencyNotification.StoreFailed;
import dev.idempotency.IdempotencyNotification.Stuck;
import dev.idempotency.account.Account;
import dev.idempotency.account.Sender;
import dev.idempotency.codec.ResponseCodec;
import dev.idempotency.engine.LeaseKeeper;
import dev.idempotency.engine.NotificationPublisher;
import dev.idempotency.engine.TestEngine;
import dev.idempotency.engine.codec.Command;
import dev.idempotency.engine.codec.ContentCodec;
import dev.idempotency.exception.SenderRefusedException;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.Identity;
import dev.idempotency.store.InterruptedStore;
import dev.idempotency.store.Lease;
import dev.idempotency.store.Lease.Progress;
import dev.idempotency.store.LeaseStore;
import dev.idempotency.store.LeaseStore.Interruption;
import dev.idempotency.store.LeaseStore.Resumption;
import dev.idempotency.store.ListedStore;
import dev.idempotency.store.UnfinishedStore.Backoff;
import dev.idempotency.store.UnfinishedStore.Recovery;
import dev.idempotency.store.UnfinishedStore.RecoveryRequest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The schedule of the completer, and its treatment of requests that it cannot complete.
 */
@ExtendWith(OutputCaptureExtension.class)
class IdempotencyCompleterTests {

	private static final Duration OFTEN = Duration.ofMillis(1);

	private final List<IdempotencyNotification> notifications = new CopyOnWriteArrayList<>();

	private final List<Interruption> interruptions = new CopyOnWriteArrayList<>();

	private final Queue<Recovery> due = new ConcurrentLinkedQueue<>();

	private final List<IdempotencyCompleter> started = new CopyOnWriteArrayList<>();

	@AfterEach
	void stop() {
		this.started.forEach(IdempotencyCompleter::stop);
	}

	private IdempotencyCompleter start(int threads, Function<RecoveryRequest, List<Recovery>> claims, Run run) {
		IdempotencyCompleter completer = create(threads, claims, run);
		this.started.add(completer);
		completer.start();
		return completer;
	}

	private IdempotencyCompleter create(int threads, Function<RecoveryRequest, List<Recovery>> claims, Run run) {
		NotificationPublisher publisher = new NotificationPublisher(List.of(this.notifications::add));
		LeaseStore store = InterruptedStore.of(this.interruptions::add);
		LeaseKeeper keeper = new LeaseKeeper(() -> store,
				TestEngine.leases(Duration.ofSeconds(30), Duration.ofMinutes(10)), publisher);
		return completer(claims, store, keeper, publisher, threads, run);
	}

	private static IdempotencyCompleter completer(Function<RecoveryRequest, List<Recovery>> claims, LeaseStore store,
			LeaseKeeper keeper, NotificationPublisher publisher, int threads, Run run) {
		return new IdempotencyCompleter(ListedStore.of(claims), store, keeper, new ContentCodec("app", new Plain()),
				List.of(new Runner(run)), (sender, work) -> work.run(), publisher, new IdempotencyCompleter.Schedule(
						OFTEN, Duration.ZERO, 12, threads, new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(1))));
	}

	private List<Recovery> poll(RecoveryRequest request) {
		Recovery recovery = this.due.poll();
		return (recovery != null) ? List.of(recovery) : List.of();
	}

	private static Recovery recovery(String kind) {
		return recovery(new Command(Sender.of(Account.SHARED), kind, new byte[0]));
	}

	private static Recovery recovery(Command command) {
		Identity identity = new Identity(new byte[32], new byte[0]);
		return new Recovery(new Lease(identity, 1), "POST /rides", new byte[0],
				command.encode(identity, new byte[0], new ContentCodec("app", new Plain())),
				new Progress(3, null, null));
	}

	@Test
	void aTurnCompletesAllRequestsThatAreDue() {
		for (int i = 0; i < 3; i++) {
			this.due.add(recovery("test"));
		}
		AtomicInteger runs = new AtomicInteger();
		IdempotencyCompleter completer = create(1, this::poll, (command) -> runs.incrementAndGet());
		assertThat(completer.run(() -> runs.get() > 3)).isPositive().isLessThan(OFTEN.multipliedBy(2));
		assertThat(runs).hasValue(3);
	}

	@Test
	void aNodeThatStopsGivesUpTheRequestThatItCompletes() {
		TestEngine test = new TestEngine();
		assertThat(complete(test, (command) -> test.keeper.stop())).isInstanceOf(ClaimResult.Abandoned.class);
	}

	@Test
	void aNodeThatStopsDoesNotGiveUpARequestThatItHasCompleted() {
		TestEngine test = new TestEngine();
		assertThat(complete(test, (command) -> assertThat(test.keeper.isRunning()).isTrue()))
			.isInstanceOf(ClaimResult.Held.class);
	}

	/**
	 * Completes a request on a node, and stops the node.
	 */
	private static ClaimResult complete(TestEngine test, Run run) {
		Recovery recovery = new Recovery(test.lease(1), "POST /rides", new byte[0], recovery("test").command(),
				new Progress(1, null, null));
		Iterator<List<Recovery>> due = List.of(List.of(recovery), List.<Recovery>of()).iterator();
		test.keeper.start();
		completer((request) -> due.next(), test.store, test.keeper, test.publisher, 1, run).run(() -> false);
		test.keeper.stop();
		return test.memory.probe(recovery.lease().identity());
	}

	@Test
	void noMoreThanItsThreadsAreClaimedAtATime() throws InterruptedException {
		CountDownLatch running = new CountDownLatch(2);
		CountDownLatch proceed = new CountDownLatch(1);
		for (int i = 0; i < 5; i++) {
			this.due.add(recovery("test"));
		}
		AtomicInteger runs = new AtomicInteger();
		start(2, this::poll, (command) -> {
			runs.incrementAndGet();
			running.countDown();
			proceed.await();
		});
		assertThat(running.await(30, TimeUnit.SECONDS)).isTrue();
		assertThat(this.due).hasSize(3);
		proceed.countDown();
		await().until(() -> runs.get() == 5);
		assertThat(this.interruptions).isEmpty();
	}

	@Test
	void whatFailsIsGivenBackWithTheNamesOfItsExceptionsAndNothingThatTheySay(CapturedOutput output) {
		this.due.add(recovery("test"));
		start(1, this::poll, (command) -> {
			throw new IllegalStateException("a secret", new java.io.IOException("another secret"));
		});
		String names = "java.lang.IllegalStateException < java.io.IOException";
		await().untilAsserted(() -> assertThat(this.interruptions).containsExactly(new Interruption(names, true)));
		assertThat(output).contains("could not be completed [POST /rides, attempt 3]: " + names)
			.doesNotContain("secret");
	}

	@Test
	void aSenderWhoIsRefusedHasAStuckRequestAtOnce() {
		this.due.add(recovery("test"));
		start(1, this::poll, (command) -> {
			throw new SenderRefusedException("The user is gone.", new IllegalArgumentException("a secret"));
		});
		String reason = SenderRefusedException.class.getName()
				+ ": The user is gone. < java.lang.IllegalArgumentException";
		await().untilAsserted(() -> assertThat(this.notifications).containsExactly(new Stuck("POST /rides")));
		assertThat(this.interruptions).containsExactly(new Interruption(reason, true, Resumption.SENDER_OF_STUCK));
	}

	@Test
	void aRequestThatIsNotStoredIsStuckAtOnce() {
		this.due.add(recovery(Command.notStored(Sender.of(Account.SHARED), "It has parts.")));
		start(1, this::poll, (command) -> {
			throw new AssertionError("nothing to run");
		});
		await().untilAsserted(() -> assertThat(this.interruptions).singleElement()
			.satisfies((interruption) -> assertThat(interruption.error()).endsWith("It has parts."))
			.satisfies((interruption) -> assertThat(interruption.resumption()).isEqualTo(Resumption.SENDER_OF_STUCK)));
	}

	@Test
	void aFailureOfTheMachineIsGivenBackAsWell() {
		this.due.add(recovery("test"));
		start(1, this::poll, (command) -> {
			throw new StackOverflowError();
		});
		await().untilAsserted(() -> assertThat(this.interruptions)
			.containsExactly(new Interruption("java.lang.StackOverflowError", true)));
	}

	@Test
	void whatNobodyHereCanRepeatOrReadIsGivenBack() {
		this.due.add(recovery("unknown"));
		this.due.add(new Recovery(new Lease(new Identity(new byte[32], new byte[0]), 1), "POST /rides", new byte[0],
				new byte[] { 99 }, new Progress(1, null, null)));
		start(1, this::poll, (command) -> {
			throw new AssertionError("nothing to run");
		});
		await().untilAsserted(() -> assertThat(this.interruptions).hasSize(2)
			.allSatisfy((interruption) -> assertThat(interruption.error()).contains("IllegalStateException")));
	}

	@Test
	void aFailureOfTheStoreIsLoggedOncePerStreakAndTheNextLookGoesOn(CapturedOutput output) {
		AtomicInteger looks = new AtomicInteger();
		AtomicInteger runs = new AtomicInteger();
		start(1, (request) -> {
			int look = looks.incrementAndGet();
			if (look <= 3) {
				throw new IllegalStateException("no connection");
			}
			return (look == 4) ? List.of(recovery("test")) : List.of();
		}, (command) -> runs.incrementAndGet());
		await().until(() -> runs.get() == 1);
		await().untilAsserted(() -> assertThat(output).contains("The search for unfinished requests works again"));
		assertThat(this.notifications).containsExactly(StoreFailed.completing(), StoreFailed.completing(),
				StoreFailed.completing());
		assertThat(output.getOut().split("The search for unfinished requests failed", -1)).hasSize(2);
	}

	@Test
	void aShutdownWaitsForWhatIsRunningAndClaimsNothingMore() throws InterruptedException {
		CountDownLatch running = new CountDownLatch(1);
		CountDownLatch proceed = new CountDownLatch(1);
		AtomicInteger ended = new AtomicInteger();
		this.due.add(recovery("test"));
		this.due.add(recovery("test"));
		IdempotencyCompleter completer = start(1, this::poll, (command) -> {
			running.countDown();
			proceed.await();
			ended.incrementAndGet();
		});
		assertThat(running.await(30, TimeUnit.SECONDS)).isTrue();
		Thread stopping = new Thread(completer::stop);
		stopping.start();
		await().until(() -> stopping.getState() == Thread.State.TIMED_WAITING);
		proceed.countDown();
		stopping.join();
		assertThat(ended).hasValue(1);
		assertThat(this.due).hasSize(1);
		assertThat(completer.isRunning()).isFalse();
	}

	/**
	 * The work of a command.
	 */
	@FunctionalInterface
	private interface Run {

		void run(Command command) throws Exception;

	}

	private record Runner(Run run) implements CommandRunner {

		@Override
		public String kind() {
			return "test";
		}

		@Override
		public void run(Command command, Recovery recovery) throws Exception {
			this.run.run(command);
		}

		@Override
		public Map<String, Object> describe(Command command) {
			return Map.of();
		}

	}

	private static final class Plain implements ResponseCodec {

		@Override
		public byte[] encode(ResponseCodec.Context context, byte[] content) {
			return content;
		}

		@Override
		public byte[] decode(ResponseCodec.Context context, byte[] encoded) {
			return encoded;
		}

	}

}
