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
package dev.idempotency.store.jpa;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.idempotency.store.EncodedResponse;
import dev.idempotency.store.Identity;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.OperatorStore.KeptRecord;
import dev.idempotency.store.OperatorStore.Overview;

/**
 * The operators' view of the tables: answers are read by the repository, leases by
 * statements.
 *
 * @param statements the store in SQL
 * @param records supplies the repository when it is needed
 * @param clock the clock of the database
 */
public record JpaOperatorStore(OperatorStore statements, Supplier<IdempotencyRecordRepository> records,
		Supplier<Instant> clock) implements OperatorStore {

	@Override
	public Overview overview() {
		return this.statements.overview();
	}

	@Override
	public Optional<KeptRecord> find(Identity identity) {
		return this.records.get()
			.findByIdAndExpiresAtAfter(identity.digest(), this.clock.get())
			.map(JpaOperatorStore::toKept);
	}

	private static KeptRecord toKept(IdempotencyRecord found) {
		return new KeptRecord(new Identity(found.getId(), found.getAccount()), found.getOperation(),
				found.getFingerprint(), new EncodedResponse(found.getStatus(), found.getContent()),
				found.getFinishedAt(), found.getExpiresAt());
	}

	@Override
	public List<Identity> between(byte[] first, byte[] last, int limit) {
		return this.statements.between(first, last, limit);
	}

	@Override
	public int countUnfinished(byte[] account) {
		return this.statements.countUnfinished(account);
	}

	@Override
	public int deleteUnfinished(byte[] account) {
		return this.statements.deleteUnfinished(account);
	}

	@Override
	public Sweep deleteFinished(byte[] account, byte @Nullable [] after, int limit) {
		return this.statements.deleteFinished(account, after, limit);
	}

}
