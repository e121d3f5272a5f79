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

import org.jspecify.annotations.Nullable;

import dev.idempotency.IdempotentOperation;
import dev.idempotency.engine.codec.Command;
import dev.idempotency.engine.identity.Fingerprint;
import dev.idempotency.store.Identity;
import dev.idempotency.store.UnfinishedStore.Recovery;

/**
 * One delivery of a request.
 *
 * @param operation the called operation
 * @param identity its identity
 * @param fingerprint its fingerprint
 * @param commits the way in which its effects become durable, always
 * {@link EffectCommits#ONCE} in mode TRANSACTIONAL
 * @param command the request itself, for the completer; {@code null} if only its sender
 * may repeat it
 * @param recovery the claim that the completer has made for it, {@code null} for a
 * delivery by its sender
 * @param startNanos the time of its arrival by the monotonic clock
 */
public record ClaimRequest(IdempotentOperation operation, Identity identity, Fingerprint fingerprint,
		EffectCommits commits, @Nullable Command command, @Nullable Recovery recovery, long startNanos) {

	/**
	 * Creates a request that arrives now.
	 */
	public ClaimRequest(IdempotentOperation operation, Identity identity, Fingerprint fingerprint,
			EffectCommits commits, @Nullable Command command, @Nullable Recovery recovery) {
		this(operation, identity, fingerprint, commits, command, recovery, System.nanoTime());
	}

	/**
	 * Returns the time since the arrival of the request.
	 */
	public Duration elapsed() {
		return Duration.ofNanos(System.nanoTime() - this.startNanos);
	}

	/**
	 * Returns this request with the fingerprint that was stored for an earlier delivery,
	 * so that further stored content matches it.
	 */
	public ClaimRequest storedAs(byte[] stored) {
		return new ClaimRequest(this.operation, this.identity, Fingerprint.of(stored), this.commits, this.command,
				this.recovery, this.startNanos);
	}

	/**
	 * The ways in which the effects of a request become durable.
	 */
	public enum EffectCommits {

		/**
		 * In one transaction, together with the response.
		 */
		ONCE,

		/**
		 * In any transactions that the operation opens.
		 */
		FREELY,

		/**
		 * Phase by phase, each together with its recovery point.
		 */
		IN_PHASES

	}

}
