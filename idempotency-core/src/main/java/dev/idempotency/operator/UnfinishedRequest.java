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

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A request that has no response yet, for operators. All times are by the database's
 * clock.
 *
 * @param id its id in {@link UnfinishedRequests}: 64 hexadecimal digits that reveal
 * neither the key nor the caller
 * @param account the digest of its sender's account in hexadecimal digits, the same for
 * all requests of one account
 * @param operation the operation's name, such as {@code POST /rides}
 * @param state its state
 * @param recoveryPoint the last completed step, {@code null} if there is none
 * @param attempts the number of times that it was claimed, by its sender and by the
 * completer
 * @param effects whether it has committed effects that no step records, so that another
 * attempt could repeat them
 * @param createdAt the time of its first claim
 * @param leaseUntil the end of the lease of its last claim
 * @param retryAt the time of the completer's next attempt, {@code null} if it follows
 * from {@code leaseUntil}
 * @param stuckAt the time since which it needs manual resolution, {@code null} if it does
 * not
 * @param lastError the names of the exceptions of the last attempt, the outermost first,
 * {@code null} if they are not known
 * @param node the node that has claimed it last: host and process id
 * @param version the version on which an operator's decision is based. It changes with
 * each claim and retry, and when effects are committed that no step records
 */
public record UnfinishedRequest(String id, String account, String operation, State state,
		@Nullable String recoveryPoint, int attempts, boolean effects, Instant createdAt, Instant leaseUntil,
		@Nullable Instant retryAt, @Nullable Instant stuckAt, @Nullable String lastError, String node, String version) {

	/**
	 * Returns the position of this request in the lists of {@link UnfinishedRequests},
	 * after which the next page begins. It stays valid after the request is answered.
	 * @return its position, the time of the first claim and the id
	 */
	public String position() {
		return this.createdAt + "_" + this.id;
	}

	/**
	 * The states of an unfinished request.
	 */
	public enum State {

		/**
		 * A node has claimed it.
		 */
		RUNNING,

		/**
		 * The sender may repeat the request, and the completer tries it when it is due.
		 */
		WAITING,

		/**
		 * The request needs manual resolution.
		 */
		STUCK

	}

}
