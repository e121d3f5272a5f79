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
package dev.idempotency.operator;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

import dev.idempotency.account.Account;
import dev.idempotency.exception.NotReplayableException;

/**
 * The operators' view of requests without a response, and the actions on them. Inject a
 * bean of this type.
 * <p>
 * It does not check the permission of its caller: expose it only to operators.
 */
public interface UnfinishedRequests {

	/**
	 * Returns the requests that need manual resolution, oldest first.
	 * @param limit the maximum number, from 1
	 * @return the requests
	 */
	default List<UnfinishedRequest> stuck(int limit) {
		return stuck(limit, null);
	}

	/**
	 * Returns a page of the requests that need manual resolution, oldest first.
	 * @param limit the maximum number, from 1
	 * @param after the {@linkplain UnfinishedRequest#position() position} of the last
	 * request of the previous page, {@code null} for the first page
	 * @return the requests
	 * @throws IllegalArgumentException if it is not a position
	 */
	List<UnfinishedRequest> stuck(int limit, @Nullable String after);

	/**
	 * Returns all requests without a response, running ones included, oldest first.
	 * @param limit the maximum number, from 1
	 * @return the requests
	 */
	default List<UnfinishedRequest> open(int limit) {
		return open(limit, null);
	}

	/**
	 * Returns a page of all requests without a response, including running ones, oldest
	 * first.
	 * @param limit the maximum number, from 1
	 * @param after the {@linkplain UnfinishedRequest#position() position} of the last
	 * request of the previous page, {@code null} for the first page
	 * @return the requests
	 * @throws IllegalArgumentException if it is not a position
	 */
	List<UnfinishedRequest> open(int limit, @Nullable String after);

	/**
	 * Finds a request.
	 * @param id its id
	 * @return the request, empty if it is unknown or has a response
	 * @throws IllegalArgumentException if the id is invalid
	 */
	Optional<UnfinishedRequest> find(String id);

	/**
	 * Retries a request from its recovery point, on the sender's next delivery and
	 * immediately by the completer, with a new count of attempts. Effects committed
	 * outside steps ({@link UnfinishedRequest#effects()}) are forgotten, and may happen
	 * twice: reconcile them first.
	 * @param seen the request as shown to the operator
	 * @return {@code false} if it is unknown, running or answered, or if its
	 * {@linkplain UnfinishedRequest#version() version} has changed
	 */
	boolean retry(UnfinishedRequest seen);

	/**
	 * Retries a request regardless of its version.
	 * @param id its id
	 * @return {@code false} if it is unknown, running or answered
	 * @throws IllegalArgumentException if the id is invalid
	 * @see #retry(UnfinishedRequest)
	 */
	default boolean retry(String id) {
		return find(id).filter(this::retry).isPresent();
	}

	/**
	 * Abandons a request: stores a response to all further retries of its sender. The
	 * effects of its steps remain.
	 * @param seen the request as shown to the operator
	 * @param response the response
	 * @return {@code false} if it is unknown, running or answered, or if its
	 * {@linkplain UnfinishedRequest#version() version} has changed
	 */
	boolean abandon(UnfinishedRequest seen, AbandonedResponse response);

	/**
	 * Abandons a request regardless of its version.
	 * @param id its id
	 * @param response the response
	 * @return {@code false} if it is unknown, running or answered
	 * @throws IllegalArgumentException if the id is invalid
	 * @see #abandon(UnfinishedRequest, AbandonedResponse)
	 */
	default boolean abandon(String id, AbandonedResponse response) {
		return find(id).filter((found) -> abandon(found, response)).isPresent();
	}

	/**
	 * Exports the complete state of a request, for a manual clean-up. In contrast to the
	 * rest of this interface, the export contains the request: its body, its account, and
	 * the results of its steps.
	 * @param id its id
	 * @return the request, empty if it is unknown or has a response
	 * @throws IllegalArgumentException if the id is invalid
	 * @throws IllegalStateException if this version cannot read the request
	 * @throws NotReplayableException if its decryption key is no longer configured
	 */
	Optional<ExportedRequest> export(String id);

	/**
	 * The complete state of an unfinished request. It contains the content of the
	 * request: it is for operators, not for logs.
	 *
	 * @param request the request
	 * @param command the original request, {@code null} if it is not stored
	 * @param steps the results of the completed steps as JSON, by the names of the steps,
	 * in order of completion
	 */
	record ExportedRequest(UnfinishedRequest request, @Nullable Command command, Map<String, String> steps) {

		/**
		 * The original request, without credentials and idempotency key.
		 *
		 * @param account the sender's account
		 * @param kind the kind of the request, {@code http} for one of a controller
		 * @param content the request by the names of its parts, as strings, lists and
		 * maps; for {@code http}: {@code method}, {@code uri}, {@code query},
		 * {@code headers}, {@code parameters}, and {@code body}, or {@code bodyBase64} if
		 * it is not text
		 */
		public record Command(Account account, String kind, Map<String, Object> content) {
		}

	}

	/**
	 * The response of a request that an operator abandons.
	 *
	 * @param status its HTTP status, from 400 to 599
	 * @param contentType its media type, such as {@code application/problem+json}
	 * @param body its body
	 */
	record AbandonedResponse(int status, String contentType, byte[] body) {

		public AbandonedResponse {
			Assert.isTrue(status >= 400 && status <= 599,
					() -> "An abandoned request has not succeeded: its status is from 400 to 599, not " + status);
			Assert.isTrue(!contentType.isBlank() && contentType.chars().allMatch((c) -> c >= ' ' && c < 127),
					"A media type consists of visible ASCII characters, such as application/problem+json");
			body = body.clone();
		}

		/**
		 * Creates a response with RFC 9457 problem details.
		 * @param status its HTTP status, from 400 to 599
		 * @param json the problem as JSON
		 * @return the response
		 */
		public static AbandonedResponse problem(int status, String json) {
			return new AbandonedResponse(status, "application/problem+json", json.getBytes(StandardCharsets.UTF_8));
		}

		@Override
		public byte[] body() {
			return this.body.clone();
		}

	}

}
