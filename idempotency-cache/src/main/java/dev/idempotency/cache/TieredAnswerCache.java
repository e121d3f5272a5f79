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
package dev.idempotency.cache;

import org.jspecify.annotations.Nullable;

import dev.idempotency.IdempotencyNotification.ReplaySource;
import dev.idempotency.engine.execution.AnswerCache;
import dev.idempotency.store.Identity;
import dev.idempotency.store.StoredAnswer;
import dev.idempotency.store.StoredRecord;

/**
 * Asks this node first and then the shared cache, and keeps here what was found there.
 */
public final class TieredAnswerCache implements AnswerCache, AutoCloseable {

	private final @Nullable LocalAnswers local;

	private final @Nullable SharedAnswers shared;

	private final long maximumEntrySize;

	/**
	 * Creates a cache.
	 * @param local the cache of this node, {@code null} for none
	 * @param shared the cache of all nodes, {@code null} for none
	 * @param maximumEntrySize the largest stored answer that is kept, in bytes
	 */
	public TieredAnswerCache(@Nullable LocalAnswers local, @Nullable SharedAnswers shared, long maximumEntrySize) {
		this.local = local;
		this.shared = shared;
		this.maximumEntrySize = maximumEntrySize;
	}

	@Override
	public @Nullable Hit find(Identity identity) {
		StoredRecord here = (this.local != null) ? this.local.find(identity) : null;
		if (here != null) {
			return new Hit(here, ReplaySource.LOCAL);
		}
		LiveRecord there = (this.shared != null) ? this.shared.find(identity) : null;
		if (there == null) {
			return null;
		}
		if (this.local != null) {
			this.local.put(identity, there);
		}
		return new Hit(there.stored(), ReplaySource.SHARED);
	}

	@Override
	public void put(Identity identity, StoredRecord stored, long deadline) {
		if (size(stored.answer()) > this.maximumEntrySize) {
			return;
		}
		LiveRecord live = new LiveRecord(stored, deadline);
		if (this.local != null) {
			this.local.put(identity, live);
		}
		if (this.shared != null) {
			this.shared.put(identity, live);
		}
	}

	private static long size(@Nullable StoredAnswer answer) {
		return (answer != null && answer.content() != null) ? answer.content().length : 0;
	}

	/**
	 * The shared cache first: in the other order a request could bring the record back
	 * from there.
	 */
	@Override
	public void evict(Identity identity) {
		if (this.shared != null) {
			this.shared.evict(identity);
		}
		if (this.local != null) {
			this.local.evict(identity);
		}
	}

	@Override
	public void clear() {
		if (this.shared != null) {
			this.shared.clear();
		}
		if (this.local != null) {
			this.local.clear();
		}
	}

	@Override
	public void close() {
		if (this.shared != null) {
			this.shared.close();
		}
	}

}
