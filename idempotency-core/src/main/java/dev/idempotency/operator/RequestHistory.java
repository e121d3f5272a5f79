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
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The history of a request under leases, from its first claim on. Only the latest part of
 * a long history is kept.
 *
 * @param entries the entries in the order of their times, by the database's clock
 */
public record RequestHistory(List<Entry> entries) {

	/**
	 * The history of a request without a lease, or without a stored history.
	 */
	public static final RequestHistory NONE = new RequestHistory(List.of());

	/**
	 * Creates a history.
	 * @param entries its entries
	 */
	public RequestHistory {
		entries = List.copyOf(entries);
	}

	/**
	 * Returns the node that has claimed the request last.
	 * @return host and process id, {@code null} if not known
	 */
	public @Nullable String node() {
		return this.entries.stream()
			.filter((entry) -> entry.kind() == Kind.CLAIMED)
			.reduce((first, second) -> second)
			.map(Entry::detail)
			.orElse(null);
	}

	/**
	 * An entry.
	 *
	 * @param at its time
	 * @param kind its kind
	 * @param detail the node, the step, or the names of the exceptions; may be empty
	 */
	public record Entry(Instant at, Kind kind, String detail) {
	}

	/**
	 * The kinds of entries.
	 */
	public enum Kind {

		/**
		 * A node has claimed the request, for its sender, for the completer or for an
		 * operator.
		 */
		CLAIMED,

		/**
		 * A step is done.
		 */
		STEP,

		/**
		 * An attempt has ended without an answer.
		 */
		INTERRUPTED,

		/**
		 * An operator has retried the request.
		 */
		RETRIED

	}

}
