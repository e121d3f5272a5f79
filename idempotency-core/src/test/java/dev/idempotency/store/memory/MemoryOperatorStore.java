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
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.idempotency.store.Identity;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.OperatorStore.KeptRecord;
import dev.idempotency.store.OperatorStore.Oldest;
import dev.idempotency.store.OperatorStore.Overview;

/**
 * The operators' view of the store in memory.
 */
record MemoryOperatorStore(MemoryTables tables, InstantSource clock, String namespace) implements OperatorStore {

	@Override
	public Overview overview() {
		Instant now = this.clock.instant();
		return this.tables.onItsOwn((transaction) -> {
			List<MemoryClaim> claims = transaction.claims(this.namespace).toList();
			List<MemoryClaim> idle = claims.stream().filter((claim) -> !claim.isRunning(now)).toList();
			int stuck = (int) idle.stream().filter((claim) -> claim.stuckAt != null).count();
			@Nullable Oldest oldest = claims.stream()
				.min(Comparator.comparing((claim) -> claim.createdAt))
				.map((claim) -> new Oldest(Duration.between(claim.createdAt, now), claim.operation))
				.orElse(null);
			return new Overview(kept(transaction).count(), claims.size() - idle.size(), idle.size() - stuck, stuck,
					oldest);
		});
	}

	private Stream<Identity> kept(MemoryTransaction transaction) {
		return this.tables.identities().stream().filter((identity) -> transaction.get(identity).kept() != null);
	}

	private Stream<MemoryClaim> claims(MemoryTransaction transaction, byte[] account) {
		return transaction.claims(this.namespace).filter((claim) -> isOf(claim.lease.identity(), account));
	}

	private static boolean isOf(Identity identity, byte[] account) {
		return Arrays.equals(identity.account(), account);
	}

	@Override
	public Optional<KeptRecord> find(Identity identity) {
		return this.tables
			.onItsOwn((transaction) -> Optional.ofNullable(transaction.get(identity).live(this.clock.instant()))
				.map(MemoryEntry.Kept::toKept));
	}

	@Override
	public List<Identity> between(byte[] first, byte[] last, int limit) {
		return this.tables.onItsOwn((transaction) -> Stream
			.concat(kept(transaction), transaction.claims(this.namespace).map((claim) -> claim.lease.identity()))
			.filter((identity) -> Arrays.compareUnsigned(identity.digest(), first) >= 0
					&& Arrays.compareUnsigned(identity.digest(), last) <= 0)
			.distinct()
			.sorted()
			.limit(limit)
			.toList());
	}

	@Override
	public int countUnfinished(byte[] account) {
		return this.tables.onItsOwn((transaction) -> (int) claims(transaction, account).count());
	}

	@Override
	public int deleteUnfinished(byte[] account) {
		Instant now = this.clock.instant();
		return this.tables.onItsOwn((transaction) -> {
			List<Identity> idle = claims(transaction, account)
				.filter((claim) -> !claim.isRunning(now) && !claim.effects && claim.steps == null)
				.map((claim) -> claim.lease.identity())
				.toList();
			idle.forEach((identity) -> transaction.put(identity, transaction.lock(identity).with(null)));
			return idle.size();
		});
	}

	@Override
	public Sweep deleteFinished(byte[] account, byte @Nullable [] after, int limit) {
		return this.tables.onItsOwn((transaction) -> {
			List<Identity> page = kept(transaction)
				.filter((identity) -> after == null || Arrays.compareUnsigned(identity.digest(), after) > 0)
				.sorted()
				.limit(limit)
				.toList();
			List<Identity> deleted = page.stream().filter((identity) -> isOf(identity, account)).toList();
			deleted.forEach(
					(identity) -> transaction.put(identity, new MemoryEntry(null, transaction.lock(identity).claim())));
			return new Sweep(deleted, (page.size() == limit) ? page.get(limit - 1).digest() : null);
		});
	}

}
