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

import dev.idempotency.ReplayAuthorizer;
import dev.idempotency.ReplayAuthorizer.ReplayAttempt;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.springframework.security.access.AccessDeniedException;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Replay;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.conformance.app.StoreHook;
import dev.idempotency.testsupport.FaultyProxy;
import dev.idempotency.testsupport.FaultyProxy.CommitFault;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Ownership of the record that a commit without a reply finds: the request of the COMMIT
 * is lost, and a duplicate that has waited executes before the first has asked.
 */
@Tag("postgresql")
@Tag("X20")
class OwnershipTests {

	private static FaultyProxy proxy;

	private static RunningApplication application;

	private static StoreHook hook;

	@BeforeAll
	static void start() {
		proxy = FaultyProxy.before(MigratedDatabase.create());
		application = RunningApplication.start(proxy.database(),
				List.of(Payments.class, StoreHook.class, Denying.class),
				"spring.datasource.hikari.connection-timeout=2000", "idempotency.reaper.enabled=false",
				"idempotency.limits.max-response-body=100B");
		hook = application.context().getBean(StoreHook.class);
	}

	@AfterEach
	void repair() {
		proxy.repair();
		assertThat(hook.isDone()).isTrue();
		application.awaitDatabase();
	}

	@AfterAll
	static void stop() {
		application.close();
		proxy.close();
	}

	/**
	 * The answer to a request whose COMMIT is lost, with what the duplicate got that
	 * executed instead.
	 */
	private static Pair overtaken(String path) {
		String key = path.substring(1);
		AtomicReference<HttpResponse<byte[]>> duplicate = new AtomicReference<>();
		hook.before("probe", () -> duplicate.set(await().until(() -> application.post(path, key),
				(response) -> response.statusCode() != 409 && response.statusCode() != 503)));
		proxy.failNextCommit(CommitFault.REQUEST_LOST);
		HttpResponse<byte[]> first = application.post(path, key);
		assertThat(application.effects(key)).isEqualTo(1);
		return new Pair(first, duplicate.get());
	}

	@ParameterizedTest
	@ValueSource(strings = { "/never-replayed", "/too-large" })
	void anAnswerThatIsNotKeptIsNotTakenForOnesOwn(String path) {
		Pair pair = overtaken(path);
		assertOriginal(pair.duplicate(), 201);
		assertProblem(pair.first(), 409, "not-replayable");
	}

	@Test
	void anEmptyAnswerOfAnotherExecutionIsAReplay() {
		Pair pair = overtaken("/empty");
		assertOriginal(pair.duplicate(), 204);
		assertReplay(pair.first(), pair.duplicate());
	}

	@Test
	void anAnswerOfAnotherExecutionIsAReplay() {
		Pair pair = overtaken("/payments");
		assertOriginal(pair.duplicate(), 201);
		assertReplay(pair.first(), pair.duplicate());
	}

	@Test
	@Tag("Y8")
	void itIsNotAuthorizedAgainSinceItHasRun() {
		Pair pair = overtaken("/payments-of-nobody");
		assertReplay(pair.first(), pair.duplicate());
		assertThat(application.post("/payments-of-nobody", "payments-of-nobody").statusCode()).isEqualTo(403);
	}

	private record Pair(HttpResponse<byte[]> first, HttpResponse<byte[]> duplicate) {
	}

	/**
	 * Denies all replays of one endpoint.
	 */
	static class Denying implements ReplayAuthorizer {

		@Override
		public void authorize(ReplayAttempt attempt) {
			if (attempt.operation().name().endsWith("/payments-of-nobody")) {
				throw new AccessDeniedException("nobody");
			}
		}

	}

	@RestController
	static class Payments {

		private final Effects effects;

		Payments(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping({ "/payments", "/payments-of-nobody" })
		@ResponseStatus(HttpStatus.CREATED)
		Map<String, Object> pay(@RequestBody Labelled payment) {
			return Map.of("id", this.effects.record(payment.label()).getId());
		}

		@Idempotent(replay = Replay.NONE)
		@PostMapping("/never-replayed")
		@ResponseStatus(HttpStatus.CREATED)
		Map<String, Object> payOnce(@RequestBody Labelled payment) {
			return pay(payment);
		}

		@Idempotent
		@PostMapping("/too-large")
		@ResponseStatus(HttpStatus.CREATED)
		Map<String, Object> payAtLength(@RequestBody Labelled payment) {
			return Map.of("id", pay(payment), "text", "x".repeat(500));
		}

		@Idempotent
		@PostMapping("/empty")
		@ResponseStatus(HttpStatus.NO_CONTENT)
		void payWithoutAWord(@RequestBody Labelled payment) {
			pay(payment);
		}

	}

}
