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
package dev.idempotency.test;

import java.time.Duration;

import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.web.servlet.client.RestTestClient;

import dev.idempotency.store.Identity;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.LeaseRequest.LeaseLimits;
import dev.idempotency.store.LeaseStore;
import dev.idempotency.store.UnfinishedStore;
import dev.idempotency.store.jdbc.JdbcStores;
import dev.idempotency.test.app.DatabaseTest;
import dev.idempotency.test.assertj.IdempotencyMeters;
import dev.idempotency.test.assertj.IdempotencyRecords;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A test of the whole application, with the store that it has in production.
 */
@DatabaseTest
class DatabaseTests {

	@Autowired
	private RestTestClient client;

	@Autowired
	private IdempotencyClock clock;

	@Autowired
	private LeaseStore store;

	@Autowired
	private UnfinishedStore unfinished;

	@Autowired
	private IdempotencyRecords records;

	@Autowired
	private MeterRegistry registry;

	@Autowired
	private JdbcTemplate jdbc;

	private RestTestClient.ResponseSpec ship(String item) {
		return this.client.post().uri("/shipments").contentType(MediaType.TEXT_PLAIN).body(item).exchange();
	}

	private int shipped(String item) {
		return this.jdbc.queryForList("select item from shipment where item = ?", item).size();
	}

	@Test
	@DeliverTwice
	@WithIdempotencyKey
	void aRequestIsDeliveredTwiceToTheRunningServer(IdempotencyKey key) {
		IdempotencyMeters meters = IdempotencyMeters.fromNow(this.registry, "POST /shipments");
		ship("book").expectStatus().isOk().expectBody(String.class).isEqualTo("shipped book");
		assertThat(this.store.getClass()).hasPackage(JdbcStores.class.getPackageName());
		assertThat(shipped("book")).isEqualTo(1);
		assertThat(this.records).hasRecordFor(key.value()).withStatus(200).withOperation("POST /shipments");
		assertThat(meters).hasExecuted(1).hasReplayed(1).hasMismatched(0);
	}

	@Test
	@DeliverTwice
	@WithIdempotencyKey
	void anUnannotatedEndpointFails() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> this.client.post().uri("/orders/unprotected").exchange())
			.withMessageContaining("POST /orders/unprotected was delivered twice")
			.withMessageContaining("effects: shipped counted");
	}

	@Test
	@WithIdempotencyKey
	void ofTheDeliveriesAtOnceOneIsExecuted() {
		ConcurrentDelivery.of(8, () -> DeliveredResponse.of(ship("at once")))
			.withEffect(() -> shipped("at once"))
			.send();
	}

	@Test
	@WithIdempotencyKey
	void whatTimeHasPassedForIsForgotten(IdempotencyKey key) {
		ship("lamp").expectHeader().doesNotExist("Idempotent-Replayed");
		this.clock.pass(Duration.ofHours(23));
		ship("lamp").expectHeader().exists("Idempotent-Replayed");
		this.clock.pass(Duration.ofHours(1));
		assertThat(this.records).hasNoRecordFor(key.value());
		ship("lamp").expectHeader().doesNotExist("Idempotent-Replayed");
		assertThat(shipped("lamp")).isEqualTo(2);
	}

	@Test
	void claimsEndWithTheTimeThatPasses() {
		Identity identity = new Identity(new byte[32], new byte[16]);
		this.store.lease(
				new LeaseRequest(identity, "test", new byte[1], null, Duration.ofHours(1), true, 2, LeaseLimits.NONE));
		this.clock.pass(Duration.ofMinutes(59));
		assertThat(this.unfinished.find(identity).orElseThrow().running()).isTrue();
		this.clock.pass(Duration.ofMinutes(1));
		assertThat(this.unfinished.find(identity).orElseThrow().running()).isFalse();
		assertThat(this.unfinished.find(identity).orElseThrow().createdAt())
			.isBefore(this.store.now().minus(Duration.ofMinutes(59)));
		this.store.release(this.unfinished.list(UnfinishedStore.Filter.OPEN, 1).get(0).lease());
	}

	@Test
	@WithIdempotencyKey
	void theBrokenOneLeavesNothing(IdempotencyKey key) {
		ship("broken").expectStatus().is5xxServerError();
		assertThat(this.records).hasNoRecordFor(key.value());
		assertThat(shipped("broken")).isZero();
	}

}
