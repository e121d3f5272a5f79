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
package dev.idempotency.conformance.faults;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.Principal;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

import dev.idempotency.IdempotencyListener;
import dev.idempotency.IdempotencyNotification;
import dev.idempotency.IdempotencyNotification.Stuck;
import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.Provider;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.operator.UnfinishedRequest;
import dev.idempotency.operator.UnfinishedRequests;
import dev.idempotency.phase.Phases;
import dev.idempotency.testsupport.JavaProcess;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.Exchanges.isReplay;
import static dev.idempotency.conformance.app.Exchanges.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.awaitility.Awaitility.await;

/**
 * Requests whose nodes die, and whose clients never come back.
 */
@Tag("processes")
class CompleterCrashTests {

	private static final String[] LEASE = { "idempotency.lease.duration=2s", "idempotency.completer.max-attempts=2",
			"idempotency.completer.after=0", "idempotency.completer.interval=20ms", "idempotency.completer.threads=1",
			"idempotency.reaper.interval=50ms" };

	private static final Queue<IdempotencyNotification> NOTIFICATIONS = new ConcurrentLinkedQueue<>();

	@Test
	@Tag("P4")
	void aRequestWhoseNodeDiesInTheMiddleIsCompletedByAnotherNodeWithOneCharge() {
		TestDatabase database = MigratedDatabase.create();
		try (Provider provider = new Provider()) {
			crash(database, provider, "killed", "halt=killed", "idempotency.completer.threads=0");
			assertThat(provider.charges()).hasSize(1);
			try (RunningApplication survivor = start(database, provider)) {
				await().until(() -> survivor.records() == 1);
				assertThat(provider.charges()).hasSize(1);
				assertThat(provider.keys()).as("asked twice, with the same key")
					.hasSize(2)
					.containsOnly(provider.keys().get(0));
				HttpResponse<byte[]> retry = survivor.post("alice", "/charged", "killed", Labelled.json("killed"));
				assertThat(isReplay(retry)).isTrue();
				assertThat(text(retry)).contains("\"by\":\"alice\"").contains(provider.charges().get(0));
				assertThat(survivor.effects("killed")).isEqualTo(1);
				assertThat(survivor.effects("killed done")).isEqualTo(1);
			}
		}
	}

	@Test
	@Tag("P5")
	void aRequestThatKillsItsNodeOnEveryAttemptIsStuckAndOthersAreCompleted() {
		TestDatabase database = MigratedDatabase.create();
		try (Provider provider = new Provider()) {
			crash(database, provider, "harmless", "halt=harmless", "idempotency.completer.threads=0");
			crash(database, provider, "deadly", "halt=deadly", "idempotency.completer.threads=0");
			try (JavaProcess second = node(database, provider, "halt=deadly")) {
				assertThat(second.awaitExit()).isEqualTo(Main.HALTED);
			}
			// This would be the end of the tests if the request was tried once more.
			try (RunningApplication survivor = start(database, provider, "halt=deadly")) {
				UnfinishedRequests requests = survivor.context().getBean(UnfinishedRequests.class);
				await().untilAsserted(() -> assertThat(requests.stuck(10)).hasSize(1));
				UnfinishedRequest stuck = requests.stuck(10).get(0);
				assertThat(stuck.attempts()).isEqualTo(2);
				assertThat(stuck.recoveryPoint()).isEqualTo("created");
				assertThat(requests.export(stuck.id()).orElseThrow().command().content()).containsEntry("body",
						Labelled.json("deadly"));
				await().until(() -> survivor.effects("harmless done") == 1);
				assertThat(NOTIFICATIONS).containsOnlyOnce(new Stuck("POST /charged"));
				assertThat(survivor.post("alice", "/charged", "other", Labelled.json("other")).statusCode())
					.isEqualTo(200);
				assertThat(requests.open(10)).containsExactly(stuck);
			}
		}
	}

	/**
	 * Sends a request to a node that dies of it.
	 */
	private static void crash(TestDatabase database, Provider provider, String label, String... properties) {
		try (JavaProcess node = node(database, provider, properties)) {
			String port = node.awaitLine(Main.STARTED);
			HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/charged"))
				.header("Authorization", "Basic " + Base64.getEncoder().encodeToString("alice:alice".getBytes()))
				.header("Content-Type", "application/json")
				.header("Idempotency-Key", label)
				.POST(BodyPublishers.ofString(Labelled.json(label)))
				.build();
			assertThatException().isThrownBy(() -> HttpClient.newHttpClient().send(request, BodyHandlers.discarding()));
			assertThat(node.awaitExit()).isEqualTo(Main.HALTED);
		}
	}

	private static JavaProcess node(TestDatabase database, Provider provider, String... properties) {
		List<String> arguments = new ArrayList<>(List.of(database.jdbcUrl(), database.username(), database.password()));
		arguments.addAll(List.of(all(provider, properties)));
		return JavaProcess.start(Main.class, arguments);
	}

	private static RunningApplication start(TestDatabase database, Provider provider, String... properties) {
		NOTIFICATIONS.clear();
		return RunningApplication.start(database, List.of(Charged.class, Listening.class), all(provider, properties));
	}

	private static String[] all(Provider provider, String... properties) {
		List<String> all = new ArrayList<>(List.of(LEASE));
		all.add("provider=" + provider.address());
		all.addAll(List.of(properties));
		return all.toArray(new String[0]);
	}

	/**
	 * A node in a separate JVM.
	 */
	static final class Main {

		static final String STARTED = "STARTED ";

		static final int HALTED = 77;

		private Main() {
		}

		public static void main(String[] arguments) {
			ProcessHandle.current()
				.parent()
				.ifPresent((parent) -> parent.onExit().thenRun(() -> Runtime.getRuntime().halt(1)));
			RunningApplication node = RunningApplication.start(
					new TestDatabase(arguments[0], arguments[1], arguments[2]), List.of(Charged.class),
					List.of(arguments).subList(3, arguments.length).toArray(new String[0]));
			System.out.println(STARTED + node.port());
		}

	}

	@RestController
	static class Charged {

		private final Effects effects;

		private final RestClient provider;

		private final String deadly;

		Charged(Effects effects, @Value("${provider}") String provider, @Value("${halt:}") String deadly) {
			this.effects = effects;
			this.provider = RestClient.create(provider);
			this.deadly = deadly;
		}

		@Idempotent
		@PostMapping("/charged")
		Map<String, Object> charge(@RequestBody Labelled body, Principal principal, Phases phases) {
			phases.atomic("created", () -> {
				this.effects.record(body.label());
			});
			String charge = phases.foreign("charged", String.class, (key) -> {
				String made = this.provider.post()
					.uri("/charges")
					.header("Idempotency-Key", key)
					.retrieve()
					.body(String.class);
				if (body.label().equals(this.deadly)) {
					Runtime.getRuntime().halt(Main.HALTED);
				}
				return made;
			});
			return phases.finish(() -> {
				this.effects.record(body.label() + " done");
				return Map.of("charge", charge, "by", principal.getName());
			});
		}

	}

	static class Listening implements IdempotencyListener {

		@Override
		public void onNotification(IdempotencyNotification notification) {
			NOTIFICATIONS.add(notification);
		}

	}

}
