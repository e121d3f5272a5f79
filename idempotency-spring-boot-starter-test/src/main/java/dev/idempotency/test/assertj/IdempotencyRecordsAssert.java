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
package dev.idempotency.test.assertj;

import java.util.Optional;

import org.assertj.core.api.AbstractAssert;

import dev.idempotency.store.OperatorStore.KeptRecord;

/**
 * Assertions on the stored responses.
 */
public final class IdempotencyRecordsAssert extends AbstractAssert<IdempotencyRecordsAssert, IdempotencyRecords> {

	IdempotencyRecordsAssert(IdempotencyRecords actual) {
		super(actual, IdempotencyRecordsAssert.class);
	}

	/**
	 * Requires that a response is stored.
	 * @param key the key's value, without quotes
	 * @return assertions on the response
	 */
	public KeptRecordAssert hasRecordFor(String key) {
		Optional<KeptRecord> found = this.actual.find(key);
		if (found.isEmpty()) {
			throw failure("Expected %s to have a record for the key '%s', but there is none", this.actual, key);
		}
		return new KeptRecordAssert(found.get()).as("the record for the key '%s'", key);
	}

	/**
	 * Requires that no response is stored.
	 * @param key the key's value, without quotes
	 * @return this
	 */
	public IdempotencyRecordsAssert hasNoRecordFor(String key) {
		Optional<KeptRecord> found = this.actual.find(key);
		if (found.isPresent()) {
			throw failure("Expected %s to have no record for the key '%s', but there is one of %s with status %d",
					this.actual, key, found.get().operation(), found.get().response().status());
		}
		return this;
	}

}
