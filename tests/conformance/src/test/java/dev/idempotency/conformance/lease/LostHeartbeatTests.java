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
package dev.idempotency.conformance.lease;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Gates;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.testsupport.DelayedStatement;
import dev.idempotency.testsupport.FaultyProxy;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * One message of a heartbeat that does not reach the server, which keeps the session of
 * its connection and what the session has locked.
 */
@Tag("postgresql")
@Tag("X35")
class LostHeartbeatTests {

	private static final Gates GATES = new Gates();

	private static final int LEASES = 4;

	/**
	 * Texts of all messages that a heartbeat might send.
	 */
	private static final List<String> MESSAGES = List.of("set transaction isolation",
			"update idempotency_lease set lease_until", "COMMIT");

	@ParameterizedTest
	@ValueSource(strings = { "read committed", "repeatable read", "serializable" })
	void aLostMessageOfAHeartbeatCostsNoLeaseOfTheNode(String byDefault) {
		TestDatabase database = MigratedDatabase.create();
		database.execute("""
				do $$ begin
					execute format('alter database %%I set default_transaction_isolation = %%L',
						current_database(), '%s');
				end $$""".formatted(byDefault));
		JdbcTemplate observer = new JdbcTemplate(
				new DriverManagerDataSource(database.jdbcUrl(), database.username(), database.password()));
		try (FaultyProxy proxy = FaultyProxy.before(database);
				RunningApplication application = RunningApplication.start(proxy.database(), List.of(Handlers.class),
						// Statements are recognized by their text, which is sent once
						// when
						// they are prepared
						"spring.datasource.hikari.data-source-properties.prepareThreshold=0",
						"idempotency.lease.duration=4s", "idempotency.completer.enabled=false",
						"idempotency.reaper.enabled=false")) {
			int lost = 0;
			for (String message : MESSAGES) {
				lost += lose(proxy, application, observer, byDefault, message) ? 1 : 0;
			}
			assertThat(lost).isPositive();
		}
	}

	private static boolean lose(FaultyProxy proxy, RunningApplication application, JdbcTemplate observer,
			String byDefault, String message) {
		List<String> keys = IntStream.range(0, LEASES)
			.mapToObj((i) -> (byDefault + "/" + message + "/" + i).replace(' ', '-'))
			.toList();
		List<CompletableFuture<HttpResponse<byte[]>>> owners = keys.stream()
			.map((key) -> Parallel.start(() -> application.post("/gated", key)))
			.toList();
		keys.forEach(GATES::awaitReached);
		DelayedStatement lost = proxy.delayNext(message);
		awaitExtensions(observer, 3);
		boolean sent = lost.isSent();
		proxy.delayNext("nothing else");
		keys.forEach(GATES::open);
		assertThat(owners).allSatisfy((owner) -> assertOriginal(owner.join(), 200));
		assertThat(keys).allSatisfy((key) -> assertThat(application.effects(key)).isEqualTo(1));
		lost.deliver();
		return sent;
	}

	/**
	 * Extensions of all leases, each of which has still held before.
	 */
	private static void awaitExtensions(JdbcTemplate observer, int count) {
		for (int i = 0; i < count; i++) {
			Object before = leases(observer).get("first");
			await().atMost(Duration.ofMinutes(1)).until(() -> {
				Map<String, Object> now = leases(observer);
				assertThat(now.get("held")).as("leases that hold").isEqualTo((long) LEASES);
				return !now.get("first").equals(before);
			});
		}
	}

	private static Map<String, Object> leases(JdbcTemplate observer) {
		return observer.queryForMap("""
				select min(lease_until) as first, count(*) filter (where lease_until > clock_timestamp()) as held
				from idempotency_lease where namespace <> ''""");
	}

	@RestController
	static class Handlers {

		private final Effects effects;

		Handlers(Effects effects) {
			this.effects = effects;
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/gated")
		Map<String, Object> gated(@RequestBody Labelled body) {
			GATES.pass(body.label());
			return Map.of("id", this.effects.record(body.label()).getId());
		}

	}

}
