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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

import dev.idempotency.HeaderSyntax;
import dev.idempotency.IdempotencyOperations;
import dev.idempotency.IdempotencyRequest;
import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.client.ClientSettings;
import dev.idempotency.client.ClientSettings.InTransaction;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.Provider;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.phase.Phases;

import static dev.idempotency.conformance.app.RunningApplication.ALICE;

/**
 * Handlers that do what the test says, in an application whose clients set keys.
 */
@RestController
class ClientHandlers {

	/**
	 * Enough for a machine that is slow to answer a request that is in progress.
	 */
	static final int ATTEMPTS = 20;

	private static final Map<String, Function<ClientHandlers, Object>> HANDLERS = new ConcurrentHashMap<>();

	final Effects effects;

	final Phases phases;

	final RestClient provider;

	private final IdempotencyOperations operations;

	ClientHandlers(Effects effects, Phases phases, IdempotencyOperations operations, RestClient.Builder builder,
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
		return this.operations.execute(IdempotencyRequest.of("inner", "inner").withContent("same"), String.class, work);
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

	static void handle(String label, Function<ClientHandlers, Object> handler) {
		HANDLERS.put(label, handler);
	}

	static RunningApplication start(Provider provider, String inTransaction) {
		return RunningApplication.start(List.of(ClientHandlers.class, QuickRetries.class),
				"provider=" + provider.address(), "idempotency.client.enabled=true",
				"idempotency.client.in-transaction=" + inTransaction, "idempotency.completer.enabled=false");
	}

	static HttpResponse<byte[]> call(RunningApplication target, String kind, String label,
			Function<ClientHandlers, Object> handler) {
		handle(label, handler);
		return target.post(ALICE, "/" + kind + "/" + label, label, Labelled.json(label));
	}

	/**
	 * Retries with hardly a pause, until the provider has answered.
	 */
	@Configuration(proxyBeanMethods = false)
	static class QuickRetries {

		@Bean
		ClientSettings clientSettings(@Value("${idempotency.client.in-transaction}") InTransaction inTransaction) {
			return new ClientSettings(
					"Idempotency-Key", HeaderSyntax.LENIENT, Set.of(HttpMethod.POST), new ClientSettings.Retry(ATTEMPTS,
							Duration.ofMillis(1), Duration.ofMillis(5), Duration.ofMinutes(5)),
					inTransaction, ClientSettings.Keys.DERIVED, Map.of());
		}

	}

}
