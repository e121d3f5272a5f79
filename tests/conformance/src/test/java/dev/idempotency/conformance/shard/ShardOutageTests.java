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
package dev.idempotency.conformance.shard;

import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import dev.idempotency.IdempotencyNotification.StoreFailed;
import dev.idempotency.conformance.app.Gates;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.conformance.shard.ShardApplication.Notifications;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static dev.idempotency.conformance.app.RunningApplication.BOB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * A shard that cannot be reached.
 */
@Tag("postgresql")
@Tag("X29")
@ExtendWith(OutputCaptureExtension.class)
class ShardOutageTests {

	@Test
	void aShardThatIsDownHoldsUpNothingOfTheOther(CapturedOutput output) {
		try (TwoServers servers = new TwoServers();
				RunningApplication application = ShardApplication.start(servers.north(), servers.south())) {
			Gates gates = application.context().getBean(Gates.class);
			CompletableFuture<HttpResponse<byte[]>> running = CompletableFuture
				.supplyAsync(() -> post(application, ALICE, "/gated", "through the outage"));
			gates.awaitReached("through the outage");
			assertOriginal(post(application, ALICE, "/transactional", "expired"), 201);
			assertOriginal(post(application, BOB, "/transactional", "before"), 201);
			servers.southServer().crash();
			await().until(() -> output.getAll().contains("Expired records cannot be deleted")
					&& output.getAll().contains("[shard south]"));
			assertThat(application.context().getBean(Notifications.class).all()).contains(StoreFailed.reaping());
			assertThat(post(application, BOB, "/transactional", "meanwhile").statusCode()).isEqualTo(503);
			assertOriginal(post(application, ALICE, "/transactional", "meanwhile"), 201);
			assertThat(post(application, ALICE, "/staged", "meanwhile staged").statusCode()).isEqualTo(201);
			servers.of(ALICE).update("update idempotency_record set expires_at = clock_timestamp()");
			await().until(() -> servers.count(ALICE, "idempotency_record where expires_at <= clock_timestamp()") == 0);
			await().until(() -> servers.payments(ALICE, "job meanwhile staged") == 1);
			await().until(() -> servers.count(ALICE, "idempotency_outbox") == 0);
			awaitSecondLease(servers);
			gates.open("through the outage");
			assertOriginal(running.join(), 201);
			servers.southServer().start();
			await().until(() -> post(application, BOB, "/transactional", "after").statusCode() == 201);
			await().until(() -> output.getAll().contains("Expired records can be deleted again [shard south]"));
			assertThat(servers.payments(BOB, "before")).isEqualTo(1);
			assertThat(output.getAll()).doesNotContain("[shard north]");
		}
	}

	private static void awaitSecondLease(TwoServers servers) {
		String now = servers.of(ALICE).queryForObject("select clock_timestamp()::text", String.class);
		await().until(() -> servers.count(ALICE,
				"idempotency_lease where namespace <> '' and lease_until > clock_timestamp() and clock_timestamp() > '"
						+ now + "'::timestamptz + interval '3 seconds'") == 1);
	}

	@Test
	void theApplicationDoesNotStartWithoutOneOfItsShards() {
		try (TwoServers servers = new TwoServers()) {
			servers.southServer().stop();
			assertThatThrownBy(() -> ShardApplication.start(servers.north(), servers.south()).close())
				.hasStackTraceContaining("[shard south]");
		}
	}

	private static HttpResponse<byte[]> post(RunningApplication application, String caller, String path, String label) {
		return application.post(caller, path, "key-" + label.replace(' ', '-'), Labelled.json(label));
	}

}
