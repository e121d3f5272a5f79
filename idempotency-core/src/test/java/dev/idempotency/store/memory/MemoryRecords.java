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

import java.time.Instant;
import java.time.InstantSource;

import org.jspecify.annotations.Nullable;

import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.Identity;
import dev.idempotency.store.StoredRecord;

/**
 * The finished requests of a store in memory.
 */
abstract class MemoryRecords implements IdempotencyStore {

	final MemoryTables tables = new MemoryTables();

	final InstantSource clock;

	MemoryRecords(InstantSource clock) {
		this.clock = clock;
	}

	/**
	 * Deletes everything. No transaction may be open.
	 */
	public void clear() {
		this.tables.clear();
	}

	@Override
	public ClaimResult acquire(Identity identity) {
		return this.tables.inTransaction((transaction) -> acquire(transaction, identity));
	}

	@Override
	public ClaimResult probe(Identity identity) {
		return this.tables.onItsOwn((transaction) -> acquire(transaction, identity));
	}

	private ClaimResult acquire(MemoryTransaction transaction, Identity identity) {
		boolean mine = transaction.tryLock(identity);
		ClaimResult found = find(transaction.get(identity), mine);
		if (found != null) {
			return found;
		}
		return mine ? new ClaimResult.Acquired() : new ClaimResult.Busy();
	}

	/**
	 * Returns the live record or the claim. An abandoned claim on which another caller is
	 * working counts as held.
	 */
	@Nullable ClaimResult find(MemoryEntry entry, boolean mine) {
		Instant now = now();
		MemoryEntry.Kept live = entry.live(now);
		if (live != null) {
			return live.toStored(now);
		}
		if (entry.claim() == null) {
			return null;
		}
		ClaimResult attempt = entry.claim().toAttempt(now);
		return (!mine && attempt instanceof ClaimResult.Abandoned abandoned) ? abandoned.asHeld() : attempt;
	}

	@Override
	public boolean finish(FinishedRecord finished) {
		return this.tables.inTransaction((transaction) -> {
			MemoryEntry entry = transaction.lock(finished.identity());
			return write(transaction, finished, entry, entry.claim());
		});
	}

	boolean write(MemoryTransaction transaction, FinishedRecord finished, MemoryEntry entry,
			@Nullable MemoryClaim claim) {
		Instant now = now();
		if (entry.live(now) != null) {
			return false;
		}
		transaction.put(finished.identity(), new MemoryEntry(MemoryEntry.Kept.of(finished, now), claim));
		return true;
	}

	@Override
	public int deleteExpired(int limit) {
		return this.tables.onItsOwn((transaction) -> (int) this.tables.identities()
			.stream()
			.filter((identity) -> transaction.get(identity).isExpired(now()) && transaction.tryLock(identity))
			.limit(limit)
			.peek((identity) -> transaction.put(identity, new MemoryEntry(null, transaction.get(identity).claim())))
			.count());
	}

	@Override
	public Instant now() {
		return this.clock.instant();
	}

}
