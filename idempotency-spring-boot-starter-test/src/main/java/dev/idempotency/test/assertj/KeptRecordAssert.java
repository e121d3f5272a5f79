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

import java.time.Duration;

import org.assertj.core.api.AbstractAssert;
import org.assertj.core.api.Assertions;

import dev.idempotency.store.OperatorStore.KeptRecord;

/**
 * Assertions on a stored response.
 */
public final class KeptRecordAssert extends AbstractAssert<KeptRecordAssert, KeptRecord> {

	KeptRecordAssert(KeptRecord actual) {
		super(actual, KeptRecordAssert.class);
	}

	/**
	 * Requires a status.
	 * @param status the HTTP status, 0 for the return value of a bean
	 * @return this
	 */
	public KeptRecordAssert withStatus(int status) {
		Assertions.assertThat(this.actual.response().status()).as("status of %s", descriptionText()).isEqualTo(status);
		return this;
	}

	/**
	 * Requires an operation.
	 * @param operation its name, such as {@code POST /payments}
	 * @return this
	 */
	public KeptRecordAssert withOperation(String operation) {
		Assertions.assertThat(this.actual.operation()).as("operation of %s", descriptionText()).isEqualTo(operation);
		return this;
	}

	/**
	 * Requires a time to live.
	 * @param ttl the time from its storage to its expiry
	 * @return this
	 */
	public KeptRecordAssert withTimeToLive(Duration ttl) {
		Assertions.assertThat(Duration.between(this.actual.finishedAt(), this.actual.expiresAt()))
			.as("time to live of %s", descriptionText())
			.isEqualTo(ttl);
		return this;
	}

}
