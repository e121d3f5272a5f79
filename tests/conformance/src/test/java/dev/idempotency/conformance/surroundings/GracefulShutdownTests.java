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
package dev.idempotency.conformance.surroundings;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

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
import dev.idempotency.conformance.app.PortableJdbc;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A node is stopped while it works.
 */
@Tag("X15")
class GracefulShutdownTests {

	private static final Gates GATES = new Gates();

	private final TestDatabase database = MigratedDatabase.create();

	private final JdbcTemplate jdbc = PortableJdbc.of(this.database.kind(),
			new DriverManagerDataSource(this.database.jdbcUrl(), this.database.username(), this.database.password()));

	private static CompletableFuture<HttpResponse<byte[]>> post(RunningApplication node, String path, String key) {
		return Parallel.start(() -> node.post(ALICE, path, key, Labelled.json(key)));
	}

	private long count(String sql) {
		Long count = this.jdbc.queryForObject(sql, Long.class);
		return (count != null) ? count : -1;
	}

	@Test
	void whatIsInFlightFinishesAndIsStored() {
		RunningApplication node = RunningApplication.start(this.database, List.of(Handlers.class));
		List<String> paths = List.of("/plain", "/leased", "/callable");
		List<CompletableFuture<HttpResponse<byte[]>>> owners = paths.stream()
			.map((path) -> post(node, path, "finish" + path))
			.toList();
		paths.forEach((path) -> GATES.awaitReached("finish" + path));
		CompletableFuture<Void> shutdown = CompletableFuture.runAsync(node::close);
		await().until(() -> !node.isAccepting());
		paths.forEach((path) -> GATES.open("finish" + path));
		assertThat(owners.stream().map(CompletableFuture::join))
			.allSatisfy((response) -> assertThat(response.statusCode()).isEqualTo(200));
		shutdown.join();
		assertThat(count("select count(*) from idempotency_record")).isEqualTo(3);
		assertThat(count("select count(*) from idempotency_lease where namespace <> ''")).isZero();
		assertThat(count("select count(*) from effect")).isEqualTo(3);
	}

	@Test
	void theLeaseOfWhatCannotFinishIsGivenUp() {
		RunningApplication node = RunningApplication.start(this.database, List.of(Handlers.class),
				"spring.lifecycle.timeout-per-shutdown-phase=1s", "idempotency.lease.duration=10m",
				"idempotency.lease.max=10m");
		CompletableFuture<HttpResponse<byte[]>> owner = post(node, "/stuck", "stuck");
		GATES.awaitReached("stuck");
		node.close();
		assertThat(count("select count(*) from idempotency_lease where lease_until <= clock_timestamp()")).isEqualTo(1);
		GATES.open("stuck");
		assertThat(owner.handle((response, failure) -> failure)).succeedsWithin(Duration.ofMinutes(1));
		assertThat(count("select count(*) from idempotency_record")).isZero();
	}

	@RestController
	static class Handlers {

		private final Effects effects;

		Handlers(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping("/plain")
		Map<String, Object> plain(@RequestBody Labelled body) {
			return work(body);
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/leased")
		Map<String, Object> leased(@RequestBody Labelled body) {
			return work(body);
		}

		/**
		 * Does not give up when the web server interrupts it.
		 */
		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/stuck")
		Map<String, Object> stuck(@RequestBody Labelled body) {
			return Parallel.start(() -> work(body)).join();
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/callable")
		Callable<Map<String, Object>> callable(@RequestBody Labelled body) {
			return () -> work(body);
		}

		private Map<String, Object> work(Labelled body) {
			GATES.pass(body.label());
			return Map.of("id", this.effects.record(body.label()).getId());
		}

	}

}
