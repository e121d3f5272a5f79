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

import dev.idempotency.engine.codec.Answer;
import dev.idempotency.engine.codec.ContentCodec;
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
	@Nullable Answer decode(Identity identity, StoredRecord found) {
		try {
			return Answer.decode(identity, found.fingerprint(), found.answer(), this.codec);
		}
		catch (RuntimeException ex) {
			logger.debug("A cached answer cannot be read [" + identity + "]", ex);
			return null;
		}
	}

	void keep(Call call, FinishedRecord finished) {
		keep(call, new StoredRecord(finished.fingerprint(), finished.answer(), finished.ttl()));
	}

	/**
	 * Caches a record, within a transaction of the caller only after its commit: the
	 * transaction may have written the record itself, and a savepoint may undo that.
	 */
	void keep(Call call, StoredRecord stored) {
		if (!TransactionSynchronizationManager.isActualTransactionActive()) {
			put(call, stored);
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
						put(call, stored);
					}
				}

			});
		}
	}

	/**
	 * Counts the time to live from the arrival of the call, which was before the database
	 * returned it.
	 */
	private void put(Call call, StoredRecord stored) {
		this.cache.put(call.identity(), stored, call.startNanos() + stored.timeToLive().toNanos());
	}

}
