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

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

import dev.idempotency.LeaseExpiry;
import dev.idempotency.engine.codec.StoredResponse;
import dev.idempotency.engine.codec.StoredResponse.HeaderField;
import dev.idempotency.exception.NotReplayableException;
import dev.idempotency.exception.RequestInProgressException;
import dev.idempotency.exception.RequestStuckException;
import dev.idempotency.operator.UnfinishedRequest;
import dev.idempotency.operator.UnfinishedRequests.ExportedRequest;
import dev.idempotency.store.OperatorStore.KeptRecord;

/**
 * A request as shown by the endpoints: without its key and its caller, and with its
 * content only if {@code idempotency.endpoint.show-bodies} is set. All times are by the
 * database's clock.
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
	 * No such request, or one whose response has expired.
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
	 * A request with a response.
	 *
	 * @param id its id
	 * @param state its state
	 * @param account the digest of its sender's account, the same for all of its requests
	 * @param operation the operation's name
	 * @param status the HTTP status of its response, 0 for the return value of a bean
	 * @param finishedAt the time at which the response was stored
	 * @param expiresAt the time until which the response is kept
	 * @param next the expected result of its next delivery
	 * @param content its response
	 */
	record Finished(String id, String state, String account, String operation, int status, Instant finishedAt,
			Instant expiresAt, NextDelivery next, @Nullable RequestContent content) implements RequestView {

		static Finished of(String id, KeptRecord kept, @Nullable RequestContent content) {
			return new Finished(id, "finished", HexFormat.of().formatHex(kept.identity().account()), kept.operation(),
					kept.response().status(), kept.finishedAt(), kept.expiresAt(), NextDelivery.of(kept), content);
		}

	}

	/**
	 * A request without a response.
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

	/**
	 * The expected result of another delivery of a request.
	 *
	 * @param outcome {@code replayed} for the stored response, {@code executed} for a run
	 * from the beginning, {@code continued} for a run after the last completed step, or
	 * the name of the problem: {@code in-progress}, {@code stuck}, {@code not-replayable}
	 * @param status its HTTP status, {@code null} if it is unknown, 0 for the return
	 * value of a bean
	 * @param detail the text of the problem, {@code null} if there is none
	 */
	record NextDelivery(String outcome, @Nullable Integer status,
			@Nullable String detail) implements OperationResponseBody {

		private static final int CONFLICT = 409;

		static NextDelivery executed() {
			return new NextDelivery("executed", null, null);
		}

		static NextDelivery of(KeptRecord kept) {
			return (kept.response().content() != null) ? new NextDelivery("replayed", kept.response().status(), null)
					: refused("not-replayable", new NotReplayableException(null));
		}

		static NextDelivery of(UnfinishedRequest open, LeaseExpiry onExpiry) {
			return switch (open.state()) {
				case STUCK -> refused("stuck", new RequestStuckException());
				case RUNNING -> inProgress();
				case WAITING -> {
					if (open.effects() || onExpiry != LeaseExpiry.RERUN) {
						yield inProgress();
					}
					yield (open.recoveryPoint() != null) ? new NextDelivery("continued", null, null) : executed();
				}
			};
		}

		private static NextDelivery inProgress() {
			return refused("in-progress", new RequestInProgressException(Duration.ZERO));
		}

		private static NextDelivery refused(String problem, RuntimeException refusal) {
			return new NextDelivery(problem, CONFLICT, refusal.getMessage());
		}

	}

	/**
	 * The content of a request.
	 */
	sealed interface RequestContent {

		static RequestContent of(StoredResponse answer) {
			List<String> headers = answer.headers().stream().map(HeaderField::name).distinct().toList();
			byte[] body = answer.content();
			String text = (body != null) ? text(body) : null;
			String base64 = (body != null && text == null) ? Base64.getEncoder().encodeToString(body) : null;
			return new Response(headers, text, base64);
		}

		private static @Nullable String text(byte[] body) {
			try {
				return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
			}
			catch (CharacterCodingException ex) {
				return null;
			}
		}

		/**
		 * The response of a finished request.
		 *
		 * @param headers the names of its header fields
		 * @param body its body if it is text
		 * @param bodyBase64 its body if it is not text
		 */
		record Response(List<String> headers, @Nullable String body,
				@Nullable String bodyBase64) implements RequestContent {
		}

		/**
		 * An unfinished request.
		 *
		 * @param command the original request
		 * @param steps the results of its steps, as JSON
		 */
		record Request(ExportedRequest.@Nullable Command command, Map<String, String> steps) implements RequestContent {
		}

		/**
		 * Content that this application cannot read, for instance because a key for
		 * decryption is missing.
		 *
		 * @param unreadable {@code true}
		 */
		record Unreadable(boolean unreadable) implements RequestContent {
		}

	}

}
