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

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.annotation.Isolation;

import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.Lease.Progress;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.LeaseStore;
import dev.idempotency.store.LeaseStore.Resumption;
import dev.idempotency.store.NodeName;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.UnfinishedStore;

/**
 * A store in the memory of one process, for tests. It fulfils the whole contract of the
 * SPI with any of Spring's transaction managers: changes commit and roll back with the
 * transaction, and are invisible to others before. A transaction with an unknown end
 * counts as rolled back. {@link #hold} ignores the isolation, since the store has no
 * connection.
 * <p>
 * It is not for production: its content is lost with the process, and not visible to
 * other nodes.
 */
public final class InMemoryIdempotencyStore extends MemoryRecords implements LeaseStore {

	private final AtomicLong fences = new AtomicLong();

	private final String namespace;

	/**
	 * Creates an empty store.
	 * @param namespace the application whose requests it claims
	 * @param clock the clock by which records and leases expire
	 */
	public InMemoryIdempotencyStore(String namespace, InstantSource clock) {
		super(clock);
		this.namespace = namespace;
	}

	@Override
	public boolean probesInOneMessage() {
		return true;
	}

	/**
	 * Returns the unfinished requests.
	 * @param application the application of the requests
	 * @return a view of this store
	 */
	public UnfinishedStore unfinished(String application) {
		return new MemoryUnfinishedStore(this.tables, this.clock, this.fences::incrementAndGet, application);
	}

	/**
	 * Returns the view of operators.
	 * @param application the application of the requests
	 * @return a view of this store
	 */
	public OperatorStore operators(String application) {
		return new MemoryOperatorStore(this.tables, this.clock, application);
	}

	@Override
	public ClaimResult lease(LeaseRequest request) {
		return this.tables.onItsOwn((transaction) -> {
			Identity identity = request.identity();
			boolean mine = transaction.tryLock(identity);
			MemoryEntry entry = transaction.get(identity);
			Instant now = now();
			if (mine && entry.isLeftOver()) {
				entry = entry.with(null);
				transaction.put(identity, entry);
			}
			if (entry.live(now) != null || !mine) {
				ClaimResult found = find(entry, mine);
				return (found != null) ? found : new ClaimResult.Busy();
			}
			MemoryClaim former = entry.claim();
			if (former != null && !former.canBeTakenOver(request, now)) {
				return former.toAttempt(now);
			}
			if (former == null && !isWithin(transaction, request)) {
				return new ClaimResult.Limited();
			}
			MemoryClaim claim = (former != null) ? takeOver(former, request, now)
					: new MemoryClaim(this.namespace, request, this.fences.incrementAndGet(), now);
			transaction.put(identity, entry.with(claim));
			return new ClaimResult.Leased(claim.lease, claim.toProgress());
		});
	}

	private boolean isWithin(MemoryTransaction transaction, LeaseRequest request) {
		List<MemoryClaim> claims = transaction.claims(this.namespace)
			.filter((claim) -> Arrays.equals(claim.lease.identity().account(), request.identity().account()))
			.toList();
		long stuck = claims.stream().filter((claim) -> claim.stuckAt != null).count();
		return request.limits().allow(claims.size() - stuck, stuck);
	}

	private MemoryClaim takeOver(MemoryClaim former, LeaseRequest request, Instant now) {
		return former.changed((claim) -> {
			claim.lease = new Lease(request.identity(), this.fences.incrementAndGet());
			claim.leaseUntil = now.plus(request.duration());
			claim.attempts++;
			claim.stuckAt = null;
			claim.leftToSender = false;
			claim.node = NodeName.CURRENT;
		});
	}

	@Override
	public void extend(Collection<Lease> leases, Duration duration) {
		this.tables.onItsOwn((transaction) -> {
			Instant until = now().plus(duration);
			leases.stream()
				.filter((lease) -> transaction.tryLock(lease.identity()))
				.forEach((lease) -> transaction.change(lease, (claim) -> claim.leaseUntil = until));
			return true;
		});
	}

	@Override
	public boolean confirm(Lease lease, Effect effect) {
		return this.tables.inTransaction(
				(transaction) -> transaction.change(lease, (claim) -> claim.effects |= effect == Effect.ONCE));
	}

	@Override
	public boolean isHeld(Lease lease) {
		return this.tables.onItsOwn((transaction) -> transaction.get(lease.identity()).claimOf(lease) != null);
	}

	@Override
	public boolean hold(Lease lease) {
		return hold(lease, Isolation.DEFAULT);
	}

	@Override
	public boolean hold(Lease lease, Isolation isolation) {
		return this.tables.inTransaction((transaction) -> transaction.lock(lease.identity()).claimOf(lease) != null);
	}

	@Override
	public boolean advance(Lease lease, @Nullable String from, @Nullable String recoveryPoint, byte[] steps,
			Duration duration) {
		return this.tables.inTransactionOrOnItsOwn((transaction) -> {
			MemoryClaim known = transaction.lock(lease.identity()).claimOf(lease);
			return known != null && Objects.equals(known.recoveryPoint, from) && transaction.change(lease, (claim) -> {
				claim.recoveryPoint = recoveryPoint;
				claim.steps = steps;
				claim.leaseUntil = now().plus(duration);
			});
		});
	}

	@Override
	public Optional<Progress> progress(Lease lease) {
		return this.tables
			.onItsOwn((transaction) -> Optional.ofNullable(transaction.lock(lease.identity()).claimOf(lease))
				.map(MemoryClaim::toProgress));
	}

	@Override
	public void interrupt(Lease lease, Interruption interruption) {
		this.tables.onItsOwn((transaction) -> transaction.change(lease, (claim) -> {
			Instant now = now();
			claim.lease = new Lease(lease.identity(), this.fences.incrementAndGet());
			claim.leaseUntil = now;
			claim.lastError = interruption.error();
			claim.leftToSender = interruption.resumption() != Resumption.ANYBODY;
			claim.stuckAt = (interruption.resumption() == Resumption.SENDER_OF_STUCK) ? now : null;
			claim.uncounted += interruption.counted() ? 0 : 1;
			boolean past = claim.retryAt == null || !claim.retryAt.isAfter(now);
			claim.retryAt = (past && !interruption.counted()) ? null : claim.retryAt;
		}));
	}

	@Override
	public boolean finish(Lease lease, FinishedRecord finished) {
		return this.tables.inTransactionOrOnItsOwn((transaction) -> {
			MemoryEntry entry = transaction.lock(lease.identity());
			return entry.claimOf(lease) != null && write(transaction, finished, entry, null);
		});
	}

	@Override
	public void release(Lease lease) {
		this.tables.onItsOwn((transaction) -> transaction.endClaim(lease));
	}

	@Override
	public void abandon(Collection<Lease> leases) {
		this.tables.onItsOwn((transaction) -> {
			Instant now = now();
			leases.forEach((lease) -> transaction.change(lease, (claim) -> claim.leaseUntil = now));
			return true;
		});
	}

	@Override
	public boolean supersede(Lease lease) {
		return this.tables.inTransaction((transaction) -> {
			MemoryClaim claim = transaction.lock(lease.identity()).claimOf(lease);
			return claim != null && claim.canBeSuperseded(now()) && transaction.endClaim(lease);
		});
	}

}
