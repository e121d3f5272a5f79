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
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.Lease;
import dev.idempotency.store.OperatorStore.KeptRecord;
import dev.idempotency.store.StoredRecord;

/**
 * The entry of an identity.
 *
 * @param kept the answer that is kept
 * @param claim the claim
 */
record MemoryEntry(@Nullable Kept kept, @Nullable MemoryClaim claim) {

	static final MemoryEntry EMPTY = new MemoryEntry(null, null);

	@Nullable Kept live(Instant now) {
		return (this.kept != null && this.kept.isLive(now)) ? this.kept : null;
	}

	/**
	 * Returns whether there is an answer that was live when the claim was made or later.
	 * The answer takes precedence, and the claim is left over.
	 */
	boolean isLeftOver() {
		return this.kept != null && this.claim != null && this.kept.expiresAt().isAfter(this.claim.createdAt);
	}

	boolean isExpired(Instant now) {
		return this.kept != null && !this.kept.isLive(now);
	}

	@Nullable MemoryClaim claimOf(Lease lease) {
		return (this.claim != null && this.claim.lease.fence() == lease.fence()) ? this.claim : null;
	}

	Optional<MemoryClaim> claimIn(String namespace) {
		return Optional.ofNullable(this.claim).filter((own) -> own.namespace.equals(namespace));
	}

	MemoryEntry with(@Nullable MemoryClaim changed) {
		return new MemoryEntry(this.kept, changed);
	}

	boolean isEmpty() {
		return this.kept == null && this.claim == null;
	}

	/**
	 * A stored answer.
	 *
	 * @param finished the stored content
	 * @param finishedAt the time of its storage
	 * @param expiresAt the end of its time to live
	 */
	record Kept(FinishedRecord finished, Instant finishedAt, Instant expiresAt) {

		static Kept of(FinishedRecord finished, Instant now) {
			return new Kept(finished, now, now.plus(finished.ttl()));
		}

		boolean isLive(Instant now) {
			return this.expiresAt.isAfter(now);
		}

		StoredRecord toStored(Instant now) {
			return new StoredRecord(this.finished.fingerprint(), this.finished.response(),
					Duration.between(now, this.expiresAt), this.finished.token());
		}

		KeptRecord toKept() {
			return new KeptRecord(this.finished.identity(), this.finished.operation(), this.finished.fingerprint(),
					this.finished.response(), this.finishedAt, this.expiresAt);
		}

	}

}
