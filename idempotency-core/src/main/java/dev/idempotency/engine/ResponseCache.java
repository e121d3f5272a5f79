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

import org.jspecify.annotations.Nullable;

import dev.idempotency.store.Identity;
import dev.idempotency.store.StoredRecord;

/**
 * A cache of finished requests in front of the store. A finished record never changes
 * during its life, so a copy of it is valid; only the store can tell that a record is
 * absent.
 * <ol>
 * <li>A record is cached only after its commit.</li>
 * <li>A copy is not returned after the end of the record's life by the database's
 * clock.</li>
 * <li>No method fails or blocks: a cache that does not work behaves like an empty
 * one.</li>
 * </ol>
 * Code that deletes a live record evicts it here.
 */
public interface ResponseCache {

	/**
	 * A cache that holds nothing.
	 */
	ResponseCache NONE = new ResponseCache() {
	};

	/**
	 * Finds a record.
	 * @param identity the identity
	 * @return a live record, or {@code null} if the store has to be asked
	 */
	default @Nullable StoredRecord find(Identity identity) {
		return null;
	}

	/**
	 * Caches a committed record.
	 * @param identity the identity
	 * @param stored the record, with its response
	 * @param deadline the end of its life in the time of {@link System#nanoTime()}
	 */
	default void put(Identity identity, StoredRecord stored, long deadline) {
	}

	/**
	 * Removes a record.
	 * @param identity the identity
	 */
	default void evict(Identity identity) {
	}

	/**
	 * Removes all records.
	 */
	default void clear() {
	}

}
