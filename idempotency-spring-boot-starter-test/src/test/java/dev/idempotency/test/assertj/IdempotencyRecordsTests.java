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
import java.time.InstantSource;

import org.junit.jupiter.api.Test;

import org.springframework.transaction.support.TransactionTemplate;

import dev.idempotency.account.Account;
import dev.idempotency.engine.identity.DigestKeys;
import dev.idempotency.engine.identity.IdentityFactory;
import dev.idempotency.engine.identity.IdentityFactory.Kind;
import dev.idempotency.store.EncodedResponse;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.store.memory.InMemoryTransactionManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class IdempotencyRecordsTests {

	private final InMemoryIdempotencyStore store = new InMemoryIdempotencyStore("test", InstantSource.system());

	private final IdentityFactory identities = new IdentityFactory("test", IdentityFactory::defaultScopeName,
			DigestKeys.none());

	private final IdempotencyRecords records = IdempotencyRecords.in(this.store.operators("test"), this.identities,
			() -> Account.of("alice"));

	private void store(String scope, Kind kind, String account, String key) {
		FinishedRecord finished = new FinishedRecord(this.identities.create(scope, kind, Account.of(account), key),
				"POST /orders", new byte[1], new EncodedResponse(201, null), Duration.ofHours(2));
		new TransactionTemplate(new InMemoryTransactionManager())
			.executeWithoutResult((status) -> assertThat(this.store.finish(finished)).isTrue());
	}

	@Test
	void aRecordIsFoundByItsKey() {
		store("account", Kind.RESPONSE, "alice", "key");
		assertThat(this.records).hasRecordFor("key")
			.withStatus(201)
			.withOperation("POST /orders")
			.withTimeToLive(Duration.ofHours(2));
		assertThat(this.records).hasNoRecordFor("other key");
	}

	@Test
	void anAccountHasItsOwnRecords() {
		store("account", Kind.RESPONSE, "bob", "key");
		assertThat(this.records).hasNoRecordFor("key");
		assertThat(this.records.of("bob")).hasRecordFor("key");
	}

	@Test
	void soHasAScope() {
		store("endpoint:POST /orders", Kind.RESPONSE, "alice", "of endpoint");
		store("resource:orders", Kind.RESPONSE, "alice", "of resource");
		assertThat(this.records).hasNoRecordFor("of endpoint").hasNoRecordFor("of resource");
		assertThat(this.records.inEndpoint("POST /orders")).hasRecordFor("of endpoint");
		assertThat(this.records.inResource("orders")).hasRecordFor("of resource");
	}

	@Test
	void theReturnValueOfABeanIsFoundToo() {
		store("account", Kind.VALUE, "alice", "key");
		assertThat(this.records).hasRecordFor("key");
	}

	@Test
	void aRecordThatIsMissingFailsTheTest() {
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> assertThat(this.records).hasRecordFor("key"))
			.withMessageContaining("in scope 'account' to have a record for the key 'key', but there is none");
	}

	@Test
	void aRecordThatOughtNotToBeThereFailsTheTest() {
		store("account", Kind.RESPONSE, "alice", "key");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> assertThat(this.records).hasNoRecordFor("key"))
			.withMessageContaining("but there is one of POST /orders with status 201");
	}

	@Test
	void aRecordOfAnotherKindFailsTheTest() {
		store("account", Kind.RESPONSE, "alice", "key");
		KeptRecordAssert found = assertThat(this.records).hasRecordFor("key");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> found.withStatus(200))
			.withMessageContaining("status of the record for the key 'key'")
			.withMessageContaining("200")
			.withMessageContaining("201");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> found.withOperation("PUT /orders"));
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> found.withTimeToLive(Duration.ofHours(1)));
	}

}
