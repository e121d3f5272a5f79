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
package dev.idempotency.test.autoconfigure;

import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.test.DeliverTwice;
import dev.idempotency.test.IdempotencyKey;
import dev.idempotency.test.WithIdempotencyKey;
import dev.idempotency.test.app.DatabaseTest;
import dev.idempotency.test.assertj.IdempotencyRecords;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.test.web.servlet.client.RestTestClient;
import org.springframework.transaction.PlatformTransactionManager;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The whole application on its database, with the store in memory.
 */
@DatabaseTest
@AutoConfigureIdempotency
class InMemoryStoreInApplicationTests {

	@Autowired
	private RestTestClient client;

	@Autowired
	private IdempotencyStore store;

	@Autowired
	private PlatformTransactionManager transactionManager;

	@Autowired
	private IdempotencyRecords records;

	@Autowired
	private JdbcTemplate jdbc;

	private RestTestClient.ResponseSpec ship(String item) {
		return this.client.post().uri("/shipments").contentType(MediaType.TEXT_PLAIN).body(item).exchange();
	}

	private int shipped(String item) {
		return this.jdbc.queryForList("select item from shipment where item = ?", item).size();
	}

	@Test
	void theStoreIsReplacedAndTheTransactionsAreNot() {
		assertThat(this.store).isInstanceOf(InMemoryIdempotencyStore.class);
		assertThat(this.transactionManager).isInstanceOf(JpaTransactionManager.class);
	}

	@Test
	@DeliverTwice
	@WithIdempotencyKey
	void theRecordIsCommittedWithTheRows(IdempotencyKey key) {
		ship("book").expectStatus().isOk();
		assertThat(shipped("book")).isEqualTo(1);
		assertThat(this.records).hasRecordFor(key.value());
		assertThat(this.jdbc.queryForList("select 1 from idempotency_record")).isEmpty();
	}

	@Test
	@WithIdempotencyKey
	void theRecordIsRolledBackWithTheRows(IdempotencyKey key) {
		ship("broken").expectStatus().is5xxServerError();
		assertThat(shipped("broken")).isZero();
		assertThat(this.records).hasNoRecordFor(key.value());
	}

}
