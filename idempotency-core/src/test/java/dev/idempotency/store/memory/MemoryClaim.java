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
import java.util.Arrays;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.Lease;
import dev.idempotency.store.Lease.Progress;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.NodeName;
import dev.idempotency.store.UnfinishedStore.UnfinishedRecord;

/**
 * A claim. A claim in the table does not change: each change puts a copy there.
 */
final class MemoryClaim implements Cloneable {

	final String namespace;

	final String operation;

	final byte[] fingerprint;

	byte @Nullable [] command;

	final Instant createdAt;

	Lease lease;

	Instant leaseUntil;

	boolean effects;

	int attempts = 1;

	int uncounted;

	@Nullable String recoveryPoint;

	byte @Nullable [] steps;

	@Nullable Instant retryAt;

	@Nullable Instant stuckAt;

	boolean leftToSender;

	@Nullable String lastError;

	String node = NodeName.CURRENT;

	MemoryClaim(String namespace, LeaseRequest request, long fence, Instant now) {
		this.namespace = namespace;
		this.operation = request.operation();
		this.fingerprint = request.fingerprint();
		this.command = request.command();
		this.createdAt = now;
		this.lease = new Lease(request.identity(), fence);
		this.leaseUntil = now.plus(request.duration());
	}

	/**
	 * Returns a copy with changes.
	 */
	MemoryClaim changed(Consumer<MemoryClaim> changes) {
		try {
			MemoryClaim copy = (MemoryClaim) clone();
			changes.accept(copy);
			return copy;
		}
		catch (CloneNotSupportedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	boolean isRunning(Instant now) {
		return this.leaseUntil.isAfter(now);
	}

	int counted() {
		return this.attempts - this.uncounted;
	}

	boolean canBeTakenOver(LeaseRequest request, Instant now) {
		boolean resumable = this.leftToSender || (request.takeover() && this.stuckAt == null);
		return resumable && !isRunning(now) && !this.effects && counted() < request.maxAttempts()
				&& Arrays.equals(this.fingerprint, request.fingerprint());
	}

	boolean canBeSuperseded(Instant now) {
		return !isRunning(now) && !this.effects && this.steps == null && this.stuckAt == null;
	}

	ClaimResult toAttempt(Instant now) {
		if (isRunning(now)) {
			return new ClaimResult.Held(this.fingerprint, this.lease);
		}
		return (this.stuckAt != null && !this.leftToSender) ? new ClaimResult.Stuck(this.fingerprint, this.lease)
				: new ClaimResult.Abandoned(this.fingerprint, this.lease);
	}

	Progress toProgress() {
		return new Progress(this.attempts, this.recoveryPoint, this.steps);
	}

	UnfinishedRecord toUnfinished(Instant now) {
		return toUnfinished(now, toProgress(), this.command);
	}

	/**
	 * Returns the claim without its large parts.
	 */
	UnfinishedRecord toListed(Instant now) {
		return toUnfinished(now, new Progress(this.attempts, this.recoveryPoint, null), null);
	}

	private UnfinishedRecord toUnfinished(Instant now, Progress progress, byte @Nullable [] shownCommand) {
		return new UnfinishedRecord(this.lease, this.operation, this.fingerprint, this.createdAt, this.leaseUntil,
				isRunning(now), this.effects, progress, shownCommand, this.retryAt, this.stuckAt, this.lastError,
				this.node);
	}

}
