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

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.http.HttpRequest;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.RestClient;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.IdempotencyRequest;
import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.client.IdempotencyKeys;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Gates;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.Provider;
import dev.idempotency.conformance.app.Provider.Fault;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.engine.identity.OutgoingKey;
import dev.idempotency.phase.Phases;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Clients that set keys automatically: those of protected endpoints, and those within
 * them.
 */
@ExtendWith(OutputCaptureExtension.class)
class ClientTests {

	/**
	 * Enough for a machine that is slow to answer a request that is in progress.
	 */
	private static final int ATTEMPTS = 20;

	private static final String WARNING = "calls another system (POST http://127.0.0.1:";

	private static final Map<String, Function<Handlers, Object>> HANDLERS = new ConcurrentHashMap<>();

	private static Provider provider;

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		provider = new Provider();
		application = start("warn");
	}

	private static RunningApplication start(String inTransaction) {
		return RunningApplication.start(List.of(Handlers.class), "provider=" + provider.address(),
				"idempotency.client.enabled=true", "idempotency.client.retry.initial=1ms",
				"idempotency.client.retry.max=5ms", "idempotency.client.retry.max-attempts=" + ATTEMPTS,
				"idempotency.client.retry.total=5m", "idempotency.client.in-transaction=" + inTransaction,
				"idempotency.completer.enabled=false");
	}

	@AfterAll
	static void stop() {
		application.close();
		provider.close();
	}

	@BeforeEach
	void repairTheProvider() {
		provider.failWith((key) -> Fault.NONE);
	}

	private static HttpResponse<byte[]> call(RunningApplication target, String kind, String label,
			Function<Handlers, Object> handler) {
		HANDLERS.put(label, handler);
		return target.post(ALICE, "/" + kind + "/" + label, label, Labelled.json(label));
	}

	/**
	 * A client as Spring Boot builds it, whose deliveries are watched below its retries.
	 */
	private static RestClient client(ClientHttpRequestInterceptor wire) {
		return application.context()
			.getBean(RestClient.Builder.class)
			.baseUrl("http://127.0.0.1:" + application.port())
			.defaultHeaders((headers) -> headers.setBasicAuth(ALICE, ALICE))
			.requestInterceptor(wire)
			.build();
	}

	private static String post(RestClient client, String label, String body) {
		return client.post()
			.uri("/transactional/" + label)
			.contentType(MediaType.APPLICATION_JSON)
			.body(Labelled.json(body))
			.retrieve()
			.requiredBody(String.class);
	}

	@Test
	@Tag("P1")
	void anAnswerThatIsLostIsAskedForAgainAndHasOneEffect() {
		HANDLERS.put("lost", (handlers) -> handlers.effects.record("lost").getLabel());
		Wire wire = new Wire(2);
		assertThat(post(client(wire), "lost", "lost")).contains("lost");
		assertThat(wire.statuses).containsExactly(201, 201, 201);
		assertThat(application.effects("lost")).isEqualTo(1);
	}

	@Test
	void aRequestThatIsInProgressIsAskedForAgainUntilItIsAnswered() {
		Gates gates = new Gates();
		HANDLERS.put("slow", (handlers) -> {
			handlers.effects.record("slow");
			gates.pass("refused");
			return "slow";
		});
		Wire first = new Wire(0);
		Wire second = new Wire(0);
		second.after = () -> gates.open("refused");
		CompletableFuture<String> original = CompletableFuture
			.supplyAsync(() -> IdempotencyKeys.operation("slow-operation", () -> post(client(first), "slow", "slow")));
		gates.awaitReached("refused");
		String answer = IdempotencyKeys.operation("slow-operation", () -> post(client(second), "slow", "slow"));
		assertThat(answer).isEqualTo(original.join());
		assertThat(second.statuses).startsWith(409).endsWith(201);
		assertThat(application.effects("slow")).isEqualTo(1);
	}

	@Test
	void aKeyThatStandsForAnotherRequestIsNotTriedAgain() {
		HANDLERS.put("reused", (handlers) -> "first");
		Wire wire = new Wire(0);
		RestClient client = client(wire);
		IdempotencyKeys.operation("reused-operation", () -> {
			post(client, "reused", "first");
			assertThatExceptionOfType(HttpClientErrorException.UnprocessableContent.class)
				.isThrownBy(() -> post(client, "reused", "second"));
		});
		assertThat(wire.statuses).containsExactly(201, 422);
	}

	@Test
	@Tag("P2")
	void aForeignStepSendsItsOwnKeyOnEveryAttemptOfTheRequest() {
		List<String> handedOut = new CopyOnWriteArrayList<>();
		Function<Handlers, Object> ride = (handlers) -> {
			handlers.phases.foreign("charge", String.class, (key) -> {
				handedOut.add(key);
				return handlers.charge();
			});
			return handlers.phases.finish(() -> "charged");
		};
		int before = provider.keys().size();
		provider.failWith((key) -> Fault.ANSWER_LOST);
		assertProblem(call(application, "phases", "ride", ride), 503, "interrupted");
		provider.failWith((key) -> Fault.NONE);
		assertOriginal(call(application, "phases", "ride", ride), 201);
		List<String> sent = provider.keys().subList(before, provider.keys().size());
		assertThat(sent).hasSize(ATTEMPTS + 1);
		assertThat(handedOut).hasSize(2);
		assertThat(new HashSet<>(handedOut)).hasSize(1);
		assertThat(sent).containsOnly(OutgoingKey.derived(handedOut.get(0), provider.address()));
	}

	@Test
	void anOperationInsideOfAForeignStepBelongsToTheStep() {
		int before = provider.keys().size();
		assertOriginal(call(application, "phases", "inner", (handlers) -> {
			handlers.phases.foreign("charge", String.class, (key) -> {
				IdempotencyKeys.operation(handlers::charge);
				assertThat(provider.keys().get(before)).isEqualTo(OutgoingKey.derived(key, provider.address()));
				return key;
			});
			IdempotencyKeys.operation(handlers::charge);
			return handlers.phases.finish(() -> "charged");
		}), 201);
		assertThat(provider.keys().subList(before, before + 2)).as("outside of the step").doesNotHaveDuplicates();
	}

	@Test
	void aCallInsideOfATransactionIsWarnedOfOnceForTheOperation(CapturedOutput output) {
		for (String label : List.of("first", "second")) {
			assertOriginal(call(application, "warned", label, Handlers::charge), 201);
		}
		assertThat(output.getOut().split(Pattern.quote(WARNING), -1)).hasSize(2);
		assertThat(output).contains("POST /warned/{label} calls", "mode LEASED", "Phases.foreign");
	}

	@Test
	void callsWhereTheyBelongAreNotWarnedOf(CapturedOutput output) {
		assertOriginal(call(application, "transactional", "no-call", (handlers) -> "nothing"), 201);
		assertOriginal(call(application, "leased", "leased", Handlers::charge), 201);
		assertOriginal(call(application, "phases", "foreign", (handlers) -> {
			handlers.phases.atomic("before", () -> {
			});
			handlers.phases.foreign("charge", String.class, (key) -> handlers.charge());
			return handlers.phases.finish(() -> "charged");
		}), 201);
		assertOriginal(call(application, "leased", "after-an-inner-one", (handlers) -> {
			handlers.inner(() -> "inner");
			return handlers.charge();
		}), 201);
		assertOriginal(call(application, "transactional", "reads", (handlers) -> {
			return handlers.provider.get().uri("/").exchange((request, response) -> "read");
		}), 201);
		assertThat(output).doesNotContain(WARNING);
	}

	@Test
	void callsInsideOfTransactionsCanBeMadeToFail() {
		try (RunningApplication strict = start("fail")) {
			int before = provider.keys().size();
			assertThat(call(strict, "transactional", "strict", Handlers::charge).statusCode()).isEqualTo(500);
			assertThat(
					call(strict, "leased", "strict-inner", (handlers) -> handlers.inner(handlers::charge)).statusCode())
				.isEqualTo(500);
			assertThat(call(strict, "phases", "strict-atomic", (handlers) -> {
				handlers.phases.atomic("charge", String.class, handlers::charge);
				return "charged";
			}).statusCode()).isEqualTo(500);
			assertThat(call(strict, "phases", "strict-finish", (handlers) -> handlers.phases.finish(handlers::charge))
				.statusCode()).isEqualTo(500);
			assertThat(provider.keys()).hasSize(before);
			assertOriginal(call(strict, "leased", "allowed", Handlers::charge), 201);
			assertThat(provider.keys()).hasSize(before + 1);
		}
	}

	/**
	 * A network whose answers may get lost.
	 */
	private static final class Wire implements ClientHttpRequestInterceptor {

		private final List<Integer> statuses = new CopyOnWriteArrayList<>();

		private final int losses;

		private Runnable after = () -> {
		};

		Wire(int losses) {
			this.losses = losses;
		}

		@Override
		public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
				throws IOException {
			ClientHttpResponse response = execution.execute(request, body);
			this.statuses.add(response.getStatusCode().value());
			this.after.run();
			if (this.statuses.size() <= this.losses) {
				response.close();
				throw new IOException("the connection broke");
			}
			return response;
		}

	}

	/**
	 * Handlers that do what the test says.
	 */
	@RestController
	static class Handlers {

		final Effects effects;

		final Phases phases;

		final RestClient provider;

		private final IdempotencyOperations operations;

		Handlers(Effects effects, Phases phases, IdempotencyOperations operations, RestClient.Builder builder,
				@Value("${provider}") String provider) {
			this.effects = effects;
			this.phases = phases;
			this.operations = operations;
			this.provider = builder.baseUrl(provider).build();
		}

		String charge() {
			return this.provider.post().uri("/charges").retrieve().requiredBody(String.class);
		}

		String inner(Supplier<String> work) {
			return this.operations.execute(IdempotencyRequest.of("inner", "inner").withContent("same"), String.class,
					work);
		}

		@Idempotent
		@PostMapping("/transactional/{label}")
		@ResponseStatus(HttpStatus.CREATED)
		public Object transactional(@PathVariable String label, @RequestBody Labelled request) {
			return HANDLERS.get(label).apply(this);
		}

		@Idempotent
		@PostMapping("/warned/{label}")
		@ResponseStatus(HttpStatus.CREATED)
		public Object warned(@PathVariable String label, @RequestBody Labelled request) {
			return HANDLERS.get(label).apply(this);
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/leased/{label}")
		@ResponseStatus(HttpStatus.CREATED)
		public Object leased(@PathVariable String label, @RequestBody Labelled request) {
			return HANDLERS.get(label).apply(this);
		}

		@Idempotent
		@PostMapping("/phases/{label}")
		@ResponseStatus(HttpStatus.CREATED)
		public Object inPhases(@PathVariable String label, @RequestBody Labelled request, Phases unused) {
			return HANDLERS.get(label).apply(this);
		}

	}

}
