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
 * content only if {@code idempotency.endpoint.show-bodies} is set. Components that do not
 * apply to its state are {@code null}. All times are those of the database.
 *
 * @param id its id in other operations: 64 hexadecimal digits
 * @param state {@code finished}, {@code running}, {@code waiting}, {@code stuck}, or
 * {@code unknown} if there is no such request, or its answer has expired
 * @param account the digest of its sender's account, the same for all of its requests
 * @param operation the operation's name
 * @param status the HTTP status of its answer, 0 for the return value of a bean
 * @param finishedAt the time at which the answer was stored
 * @param expiresAt the time until which the answer is kept
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
 * @param version the version to pass to actions, for a request without an answer
 * @param next the expected result of its next delivery
 * @param content its content
 */
record RequestView(String id, String state, @Nullable String account, @Nullable String operation,
		@Nullable Integer status, @Nullable Instant finishedAt, @Nullable Instant expiresAt,
		@Nullable Instant createdAt, @Nullable Instant leaseUntil, @Nullable Instant retryAt, @Nullable Instant stuckAt,
		@Nullable Integer attempts, @Nullable Boolean effects, @Nullable String recoveryPoint,
		@Nullable List<String> steps, @Nullable String lastError, @Nullable String node, @Nullable String version,
		@Nullable NextDelivery next, @Nullable RequestContent content) implements OperationResponseBody {

	static final String UNKNOWN = "unknown";

	static RequestView unknown(String id) {
		return new RequestView(id, UNKNOWN, null, null, null, null, null, null, null, null, null, null, null, null,
				null, null, null, null, NextDelivery.executed(), null);
	}

	static RequestView of(String id, KeptRecord kept, @Nullable RequestContent content) {
		return new RequestView(id, "finished", HexFormat.of().formatHex(kept.identity().account()), kept.operation(),
				kept.answer().status(), kept.finishedAt(), kept.expiresAt(), null, null, null, null, null, null, null,
				null, null, null, null, NextDelivery.of(kept), content);
	}

	static RequestView of(UnfinishedRequest open, LeaseExpiry onExpiry, @Nullable List<String> steps,
			@Nullable RequestContent content) {
		String state = switch (open.state()) {
			case RUNNING -> "running";
			case WAITING -> "waiting";
			case STUCK -> "stuck";
		};
		return new RequestView(open.id(), state, open.account(), open.operation(), null, null, null, open.createdAt(),
				open.leaseUntil(), open.retryAt(), open.stuckAt(), open.attempts(), open.effects(),
				open.recoveryPoint(), steps, open.lastError(), open.node(), open.version(),
				NextDelivery.of(open, onExpiry), content);
	}

}
