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
package dev.idempotency.storecontract;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.LeaseStore.Interruption;
import dev.idempotency.store.StoredRecord;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of concurrent calls: one of many wins. The fuzz tests are modelled on
 * those of ShedLock.
 */
abstract class ConcurrentContract extends LeaseStoreContract {

	private static final int THREADS = 5;

	private static final int ROUNDS = 20;

	/**
	 * Time limit, so that a store that loses an identity fails rather than hangs.
	 */
	private static final Duration PATIENCE = Duration.ofMinutes(2);

	@Test
	void ofManyTransactionsOneExecutes() {
		for (int i = 0; i < 20; i++) {
			Identity identity = identity();
			List<Boolean> executed = Parallel.run(THREADS, () -> executeUnlessTaken(identity, "answer"));
			assertThat(executed).containsOnlyOnce(true);
			assertThat(acquire(identity)).isInstanceOf(StoredRecord.class);
		}
	}

	/**
	 * Executes like the engine: a caller that does not acquire the identity, or cannot
	 * store the answer, rolls back.
	 */
	private boolean executeUnlessTaken(Identity identity, String text) {
		return inTransaction(() -> store().acquire(identity) instanceof ClaimResult.Acquired
				&& store().finishWithCommit(finished(identity, text)));
	}

	@Test
	void ofManyWhoClaimOneGetsIt() {
		Identity identity = identity();
		assertOneAcquired(Parallel.run(10, () -> store().lease(request(identity))));
	}

	@Test
	@Tag("C7")
	void ofManyWhoTakeOverAnExpiredClaimOneGetsIt() {
		Identity identity = identity();
		expiredLease(identity);
		assertOneAcquired(Parallel.run(10, () -> store().lease(request(identity))));
	}

	private static void assertOneAcquired(List<ClaimResult> attempts) {
		assertThat(attempts).filteredOn(ClaimResult.Leased.class::isInstance).hasSize(1);
	}

	@Test
	@Tag("C9")
	void aClaimAtTheMomentOfTheFinishFindsTheRecord() {
		for (int i = 0; i < 100; i++) {
			Identity identity = identity();
			Lease lease = expiredLease(identity);
			CompletableFuture<Boolean> finish = Parallel.start(() -> store().finish(lease, finished(identity, "a")));
			ClaimResult attempt = store().lease(request(identity));
			assertThat(attempt).isInstanceOf(finish.join() ? StoredRecord.class : ClaimResult.Leased.class);
		}
	}

	/**
	 * Threads claim one identity repeatedly, in both modes, and end their claims in every
	 * way except a finish. Each adds one to a counter in two steps while it owns the
	 * identity: if two ever owned it at once, a count would be lost.
	 */
	@Test
	void whateverHappensNobodyHasAnIdentityBesideAnother() {
		long seed = new Random().nextLong();
		AtomicInteger numbers = new AtomicInteger();
		AtomicInteger counter = new AtomicInteger();
		Set<Long> fences = ConcurrentHashMap.newKeySet();
		AtomicInteger claims = new AtomicInteger();
		Identity identity = identity();
		Parallel.run(THREADS, () -> {
			Random random = new Random(seed + numbers.incrementAndGet());
			for (int round = 0; round < ROUNDS; round++) {
				if (random.nextInt(4) == 0) {
					countInTransaction(identity, counter);
				}
				else {
					Lease lease = countUnderLease(identity, counter);
					fences.add(lease.fence());
					claims.incrementAndGet();
					end(lease, random);
				}
			}
			return true;
		});
		assertThat(counter).as("seed %d", seed).hasValue(THREADS * ROUNDS);
		assertThat(fences).as("seed %d: no fence twice", seed).hasSize(claims.get());
	}

	private void countInTransaction(Identity identity, AtomicInteger counter) {
		attempt(() -> rolledBack(() -> {
			ClaimResult attempt = store().acquire(identity);
			boolean mine = attempt instanceof ClaimResult.Acquired
					|| (attempt instanceof ClaimResult.Abandoned abandoned && store().supersede(abandoned.lease()));
			if (mine) {
				add(counter);
			}
			return mine;
		}), Boolean::booleanValue);
	}

	private Lease countUnderLease(Identity identity, AtomicInteger counter) {
		Lease lease = leased(attempt(() -> store().lease(request(identity)), ClaimResult.Leased.class::isInstance))
			.lease();
		add(counter);
		return lease;
	}

	private static <T> T attempt(Supplier<T> attempts, Predicate<T> success) {
		long begin = System.nanoTime();
		while (System.nanoTime() - begin < PATIENCE.toNanos()) {
			T attempt = attempts.get();
			if (success.test(attempt)) {
				return attempt;
			}
			Thread.yield();
		}
		throw new AssertionError("The identity cannot be claimed any more");
	}

	private static void add(AtomicInteger counter) {
		int before = counter.get();
		Thread.yield();
		counter.set(before + 1);
	}

	private void end(Lease lease, Random random) {
		switch (random.nextInt(3)) {
			case 0 -> store().release(lease);
			case 1 -> store().abandon(List.of(lease));
			default -> store().interrupt(lease, new Interruption("Fuzz", false));
		}
	}

	/**
	 * Threads deliver the same requests in both modes until there is an answer, and some
	 * deliveries fail. Exactly one answer to each request is stored.
	 */
	@Test
	void whateverHappensOneDeliveryOfEachRequestStoresItsAnswer() {
		long seed = new Random().nextLong();
		AtomicInteger numbers = new AtomicInteger();
		List<Identity> identities = Stream.generate(StoreContract::identity).limit(ROUNDS).toList();
		AtomicInteger stored = new AtomicInteger();
		Parallel.run(THREADS, () -> {
			int number = numbers.incrementAndGet();
			Random random = new Random(seed + number);
			for (Identity identity : identities) {
				while (!(store().probe(identity) instanceof StoredRecord)) {
					stored.addAndGet(deliver(identity, "answer of " + number, random) ? 1 : 0);
				}
			}
			return true;
		});
		assertThat(stored).as("seed %d", seed).hasValue(ROUNDS);
	}

	private boolean deliver(Identity identity, String text, Random random) {
		if (random.nextBoolean()) {
			return executeUnlessTaken(identity, text);
		}
		if (!(store().lease(request(identity)) instanceof ClaimResult.Leased leased)) {
			return false;
		}
		Lease lease = leased.lease();
		if (random.nextInt(3) == 0) {
			end(lease, random);
			return false;
		}
		return random.nextBoolean() ? store().finish(lease, finished(identity, text))
				: inTransaction(() -> store().finish(lease, finished(identity, text)));
	}

}
