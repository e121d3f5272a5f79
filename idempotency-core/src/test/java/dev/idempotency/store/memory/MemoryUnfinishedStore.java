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
package dev.idempotency.store.memory;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.idempotency.store.NodeName;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.UnfinishedStore;
import dev.idempotency.store.UnfinishedStore.Recovery;
import dev.idempotency.store.UnfinishedStore.RecoveryRequest;
import dev.idempotency.store.UnfinishedStore.UnfinishedRecord;

/**
 * The unfinished requests of one application in the store in memory.
 */
record MemoryUnfinishedStore(MemoryTables tables, InstantSource clock, LongSupplier fences,
		String namespace) implements UnfinishedStore {

	private static final Comparator<Position> ORDER = Comparator.comparing(Position::createdAt)
		.thenComparing(Position::identity);

	@Override
	public List<Recovery> claimDue(RecoveryRequest request) {
		Instant now = this.clock.instant();
		return this.tables.onItsOwn(
				(transaction) -> inTurn(unfinished(transaction).filter((claim) -> isDue(claim, request, now)), request)
					.filter((claim) -> transaction.tryLock(claim.lease.identity()))
					.limit(request.limit())
					.map((due) -> change(transaction, due, (claim) -> {
						claim.retryAt = now.plus(request.backoff().spreadAfter(due.counted() + 1));
						claim.lease = new Lease(due.lease.identity(), this.fences.getAsLong());
						claim.leaseUntil = now.plus(request.lease());
						claim.attempts++;
						claim.node = NodeName.CURRENT;
					}))
					.map((claim) -> claim.toUnfinished(now).toRecovery())
					.toList());
	}

	/**
	 * Orders claims by turns: the longest due claim of each account, then the second of
	 * each, with the accounts in random order.
	 */
	private static Stream<MemoryClaim> inTurn(Stream<MemoryClaim> due, RecoveryRequest request) {
		List<List<MemoryClaim>> accounts = new ArrayList<>(
				due.collect(Collectors.groupingBy((claim) -> ByteBuffer.wrap(claim.lease.identity().account())))
					.values());
		Collections.shuffle(accounts);
		accounts.forEach((claims) -> claims.sort(Comparator.comparing((claim) -> dueAt(claim, request))));
		int turns = accounts.stream().mapToInt(List::size).max().orElse(0);
		return IntStream.range(0, turns)
			.boxed()
			.flatMap((turn) -> accounts.stream()
				.filter((claims) -> turn < claims.size())
				.map((claims) -> claims.get(turn)));
	}

	private static Instant dueAt(MemoryClaim claim, RecoveryRequest request) {
		return (claim.retryAt != null) ? claim.retryAt : claim.leaseUntil.plus(request.after());
	}

	private static boolean isDue(MemoryClaim claim, RecoveryRequest request, Instant now) {
		Instant due = dueAt(claim, request);
		return !claim.isRunning(now) && !claim.effects && claim.stuckAt == null && claim.command != null
				&& !claim.leftToSender && claim.counted() < request.maxAttempts() && !due.isAfter(now);
	}

	@Override
	public List<String> markStuck(int maxAttempts, Duration keep) {
		Instant now = this.clock.instant();
		return this.tables.onItsOwn((transaction) -> unfinished(transaction)
			.filter((claim) -> !claim.isRunning(now) && claim.stuckAt == null)
			.filter((claim) -> claim.effects || claim.counted() >= maxAttempts
					|| claim.leaseUntil.isBefore(now.minus(keep)))
			.filter((claim) -> transaction.tryLock(claim.lease.identity()))
			.map((claim) -> change(transaction, claim, (stuck) -> {
				stuck.stuckAt = now;
				stuck.leftToSender = false;
			}).operation)
			.toList());
	}

	@Override
	public void retireStuck(Duration keep, Duration keepCommand) {
		Instant now = this.clock.instant();
		this.tables.onItsOwn((transaction) -> {
			transaction.claims(this.namespace)
				.filter((claim) -> claim.stuckAt != null && transaction.tryLock(claim.lease.identity()))
				.toList()
				.forEach((claim) -> change(transaction, claim, (stuck) -> {
					Instant since = Objects.requireNonNull(stuck.stuckAt);
					stuck.leftToSender &= !since.isBefore(now.minus(keep));
					stuck.command = since.isBefore(now.minus(keepCommand)) ? null : stuck.command;
				}));
			return true;
		});
	}

	@Override
	public Optional<UnfinishedRecord> find(Identity identity) {
		return this.tables.onItsOwn((transaction) -> transaction.get(identity)
			.claimIn(this.namespace)
			.map((claim) -> claim.toUnfinished(this.clock.instant())));
	}

	@Override
	public List<UnfinishedRecord> list(Filter filter, Position after, int limit) {
		return this.tables.onItsOwn((transaction) -> transaction.claims(this.namespace)
			.filter((claim) -> filter == Filter.OPEN || claim.stuckAt != null)
			.filter((claim) -> ORDER.compare(position(claim), after) > 0)
			.sorted(Comparator.comparing(MemoryUnfinishedStore::position, ORDER))
			.limit(limit)
			.map((claim) -> claim.toListed(this.clock.instant()))
			.toList());
	}

	private static Position position(MemoryClaim claim) {
		return new Position(claim.createdAt, claim.lease.identity());
	}

	@Override
	public boolean retry(UnfinishedRecord seen) {
		Instant now = this.clock.instant();
		return this.tables.onItsOwn(
				(transaction) -> idle(transaction, seen.lease(), now).filter((idle) -> idle.effects == seen.effects())
					.map((idle) -> change(transaction, idle, (claim) -> {
						claim.lease = new Lease(idle.lease.identity(), this.fences.getAsLong());
						claim.stuckAt = null;
						claim.leftToSender = false;
						claim.uncounted = claim.attempts;
						claim.retryAt = now;
						claim.leaseUntil = now;
						claim.effects = false;
					}))
					.isPresent());
	}

	@Override
	public Optional<UnfinishedRecord> claim(UnfinishedRecord seen, Duration lease) {
		Instant now = this.clock.instant();
		return this.tables.onItsOwn(
				(transaction) -> idle(transaction, seen.lease(), now).filter((idle) -> idle.effects == seen.effects())
					.map((idle) -> change(transaction, idle, (claim) -> {
						claim.lease = new Lease(idle.lease.identity(), this.fences.getAsLong());
						claim.leaseUntil = now.plus(lease);
						claim.node = NodeName.CURRENT;
					}))
					.map((claim) -> claim.toUnfinished(now)));
	}

	private Optional<MemoryClaim> idle(MemoryTransaction transaction, Lease seen, Instant now) {
		return transaction.lock(seen.identity())
			.claimIn(this.namespace)
			.filter((claim) -> !claim.isRunning(now) && claim.lease.fence() == seen.fence());
	}

	/**
	 * Returns the claims, and deletes those that are left over.
	 */
	private Stream<MemoryClaim> unfinished(MemoryTransaction transaction) {
		Instant now = this.clock.instant();
		return transaction.claims(this.namespace).filter((claim) -> {
			Identity identity = claim.lease.identity();
			boolean leftOver = transaction.get(identity).isLeftOver();
			if (leftOver && !claim.isRunning(now) && transaction.tryLock(identity)) {
				transaction.put(identity, transaction.get(identity).with(null));
			}
			return !leftOver;
		});
	}

	private static MemoryClaim change(MemoryTransaction transaction, MemoryClaim claim, Consumer<MemoryClaim> changes) {
		Identity identity = claim.lease.identity();
		MemoryClaim changed = claim.changed(changes);
		transaction.put(identity, transaction.get(identity).with(changed));
		return changed;
	}

}
