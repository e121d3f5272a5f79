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

import org.jspecify.annotations.Nullable;

import dev.idempotency.store.Lease;

/**
 * The entry of an identity.
 *
 * @param kept the answer that is kept
 * @param claim the claim
 */
record MemoryEntry(@Nullable MemoryRecord kept, @Nullable MemoryClaim claim) {

	static final MemoryEntry EMPTY = new MemoryEntry(null, null);

	@Nullable MemoryRecord live(Instant now) {
		return (this.kept != null && this.kept.isLive(now)) ? this.kept : null;
	}

	/**
	 * Returns whether the claim is beside an answer that was alive when the claim was
	 * made, or later: the answer wins, and the claim stays.
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

	MemoryEntry with(@Nullable MemoryClaim changed) {
		return new MemoryEntry(this.kept, changed);
	}

	boolean isEmpty() {
		return this.kept == null && this.claim == null;
	}

}
