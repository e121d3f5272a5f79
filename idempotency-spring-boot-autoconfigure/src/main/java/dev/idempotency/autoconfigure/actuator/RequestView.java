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
package dev.idempotency.autoconfigure.actuator;

import java.time.Instant;
import java.util.HexFormat;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

import dev.idempotency.LeaseExpiry;
import dev.idempotency.operator.UnfinishedRequest;
import dev.idempotency.store.OperatorStore.KeptRecord;

/**
 * A request as shown by the endpoints: without its key and its caller, and with its
 * content only if {@code idempotency.endpoint.show-bodies} is set. All times are those of
 * the database.
 */
sealed interface RequestView extends OperationResponseBody {

	/**
	 * Returns its id in other operations: 64 hexadecimal digits.
	 */
	String id();

	/**
	 * Returns {@code finished}, {@code running}, {@code waiting}, {@code stuck} or
	 * {@code unknown}.
	 */
	String state();

	/**
	 * Returns its content, {@code null} if it is not shown.
	 */
	default @Nullable RequestContent content() {
		return null;
	}

	/**
	 * No such request, or one whose answer has expired.
	 *
	 * @param id its id
	 * @param state its state
	 * @param next the expected result of its next delivery
	 */
	record Unknown(String id, String state, NextDelivery next) implements RequestView {

		Unknown(String id) {
			this(id, "unknown", NextDelivery.executed());
		}

	}

	/**
	 * A request with an answer.
	 *
	 * @param id its id
	 * @param state its state
	 * @param account the digest of its sender's account, the same for all of its requests
	 * @param operation the operation's name
	 * @param status the HTTP status of its answer, 0 for the return value of a bean
	 * @param finishedAt the time at which the answer was stored
	 * @param expiresAt the time until which the answer is kept
	 * @param next the expected result of its next delivery
	 * @param content its answer
	 */
	record Finished(String id, String state, String account, String operation, int status, Instant finishedAt,
			Instant expiresAt, NextDelivery next, @Nullable RequestContent content) implements RequestView {

		static Finished of(String id, KeptRecord kept, @Nullable RequestContent content) {
			return new Finished(id, "finished", HexFormat.of().formatHex(kept.identity().account()), kept.operation(),
					kept.answer().status(), kept.finishedAt(), kept.expiresAt(), NextDelivery.of(kept), content);
		}

	}

	/**
	 * A request without an answer.
	 *
	 * @param id its id
	 * @param state its state
	 * @param account the digest of its sender's account, the same for all of its requests
	 * @param operation the operation's name
	 * @param createdAt the time of its first claim
	 * @param leaseUntil the end of its last lease
	 * @param retryAt the time of the completer's next attempt, if it is scheduled
	 * @param stuckAt the time since which it needs manual resolution
	 * @param attempts the number of its claims
	 * @param effects whether it has committed effects that no step records
	 * @param recoveryPoint the last completed step
	 * @param steps the names of the completed steps, in order; not in lists
	 * @param lastError the class names of the exceptions of the last attempt
	 * @param node the node of its last claim: host and process id
	 * @param version the version to pass to actions
	 * @param next the expected result of its next delivery
	 * @param content the original request and its completed steps
	 */
	record Unfinished(String id, String state, String account, String operation, Instant createdAt, Instant leaseUntil,
			@Nullable Instant retryAt, @Nullable Instant stuckAt, int attempts, boolean effects,
			@Nullable String recoveryPoint, @Nullable List<String> steps, @Nullable String lastError,
			@Nullable String node, String version, NextDelivery next,
			@Nullable RequestContent content) implements RequestView {

		static Unfinished of(UnfinishedRequest open, LeaseExpiry onExpiry, @Nullable List<String> steps,
				@Nullable RequestContent content) {
			String state = switch (open.state()) {
				case RUNNING -> "running";
				case WAITING -> "waiting";
				case STUCK -> "stuck";
			};
			return new Unfinished(open.id(), state, open.account(), open.operation(), open.createdAt(),
					open.leaseUntil(), open.retryAt(), open.stuckAt(), open.attempts(), open.effects(),
					open.recoveryPoint(), steps, open.lastError(), open.node(), open.version(),
					NextDelivery.of(open, onExpiry), content);
		}

	}

}
