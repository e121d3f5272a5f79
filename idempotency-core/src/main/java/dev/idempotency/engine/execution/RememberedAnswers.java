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
package dev.idempotency.engine.execution;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.idempotency.engine.codec.ContentCodec;
import dev.idempotency.engine.codec.StoredResponse;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.Identity;
import dev.idempotency.store.StoredRecord;

/**
 * Answers in the cache, each from the commit of its transaction on.
 *
 * @param cache the cache
 * @param codec the codec of answers
 */
record RememberedAnswers(AnswerCache cache, ContentCodec codec) {

	private static final Log logger = LogFactory.getLog(RememberedAnswers.class);

	/**
	 * Decodes an answer. If a record cannot be read, it is not the one that was stored,
	 * or its key is no longer configured: the store decides.
	 */
	@Nullable StoredResponse decode(Identity identity, StoredRecord found) {
		try {
			return StoredResponse.decode(identity, found.fingerprint(), found.answer(), this.codec);
		}
		catch (RuntimeException ex) {
			logger.debug("A cached answer cannot be read [" + identity + "]", ex);
			return null;
		}
	}

	void keep(ClaimRequest request, FinishedRecord finished) {
		keep(request, new StoredRecord(finished.fingerprint(), finished.answer(), finished.ttl()));
	}

	/**
	 * Caches a record, within a transaction of the caller only after its commit: the
	 * transaction may have written the record itself, and a savepoint may undo that.
	 */
	void keep(ClaimRequest request, StoredRecord stored) {
		if (!TransactionSynchronizationManager.isActualTransactionActive()) {
			put(request, stored);
		}
		else if (TransactionSynchronizationManager.isSynchronizationActive()) {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				private boolean undone;

				@Override
				public void savepointRollback(Object savepoint) {
					this.undone = true;
				}

				@Override
				public void afterCommit() {
					if (!this.undone) {
						put(request, stored);
					}
				}

			});
		}
	}

	/**
	 * Counts the time to live from the arrival of the request, which was before the
	 * database returned it.
	 */
	private void put(ClaimRequest request, StoredRecord stored) {
		this.cache.put(request.identity(), stored, request.startNanos() + stored.timeToLive().toNanos());
	}

}
