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

import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import dev.idempotency.exception.NotReplayableException;

/**
 * What operators see of the requests that have no answer, and what they can do about
 * them. A bean of this type is there to be injected.
 * <p>
 * Nothing here checks who calls it: expose it to operators alone.
 */
public interface UnfinishedRequests {

	/**
	 * The requests that wait for a human, the oldest first.
	 * @param limit how many at the most, from 1
	 * @return the requests
	 */
	default List<UnfinishedRequest> stuck(int limit) {
		return stuck(limit, null);
	}

	/**
	 * A page of the requests that need manual resolution, the oldest first.
	 * @param limit how many at most, from 1
	 * @param after the place of the last request of the page before, {@code null} for the
	 * first page
	 * @return the requests
	 */
	List<UnfinishedRequest> stuck(int limit, UnfinishedRequest.@Nullable Position after);

	/**
	 * All requests without an answer, those that are running included, the oldest first.
	 * @param limit how many at the most, from 1
	 * @return the requests
	 */
	default List<UnfinishedRequest> open(int limit) {
		return open(limit, null);
	}

	/**
	 * A page of all requests without an answer, those that are running included, the
	 * oldest first.
	 * @param limit how many at most, from 1
	 * @param after the place of the last request of the page before, {@code null} for the
	 * first page
	 * @return the requests
	 */
	List<UnfinishedRequest> open(int limit, UnfinishedRequest.@Nullable Position after);

	/**
	 * Look a request up.
	 * @param id its id
	 * @return the request, empty if it has an answer or there is none
	 * @throws IllegalArgumentException if that is no id
	 */
	Optional<UnfinishedRequest> find(String id);

	/**
	 * Let a request be tried again from its recovery point, by its sender and at once by
	 * the completer, with a new count of attempts. What it has committed outside of steps
	 * ({@link UnfinishedRequest#effects()}) is forgotten, and may be done twice: clear
	 * that up before.
	 * @param id its id
	 * @return {@code false} if it has an answer, is running, or there is none
	 * @throws IllegalArgumentException if that is no id
	 */
	boolean retry(String id);

	/**
	 * Give a request up: store an answer, which its sender gets for its retries from now
	 * on. What its steps have done stays done.
	 * @param id its id
	 * @param answer the answer
	 * @return {@code false} if it has an answer, is running, or there is none
	 * @throws IllegalArgumentException if that is no id
	 */
	boolean abandon(String id, AbandonedAnswer answer);

	/**
	 * Everything that is known of a request, to clear up by hand what it has left. Other
	 * than the rest of this interface this tells what the request was about: its body,
	 * its account, and the results of its steps.
	 * @param id its id
	 * @return the request, empty if it has an answer or there is none
	 * @throws IllegalArgumentException if that is no id
	 * @throws IllegalStateException if this version cannot read it
	 * @throws NotReplayableException if its key for decryption is not configured any more
	 */
	Optional<ExportedRequest> export(String id);

}
