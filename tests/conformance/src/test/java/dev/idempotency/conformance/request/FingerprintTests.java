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
package dev.idempotency.conformance.request;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.authentication.AuthenticationProvider;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.security.web.firewall.StrictHttpFirewall;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Responses.assertOriginal;
import static dev.idempotency.conformance.app.Responses.assertProblem;
import static dev.idempotency.conformance.app.Responses.assertReplay;
import static dev.idempotency.conformance.app.Responses.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Group F: what makes two requests with one key the same request.
 */
class FingerprintTests {

	private static final String JSON = "application/json";

	private static final Map<String, Gate> gates = new ConcurrentHashMap<>();

	private static RunningApplication application;

	private final String label = UUID.randomUUID().toString();

	private final String path = "/payments/" + this.label;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(
				List.of(Payments.class, Dispatching.class, Tokens.class, PathParameters.class),
				"idempotency.fingerprint.include-headers=X-Api-Version", "server.servlet.session.cookie.name=SID",
				"server.forward-headers-strategy=framework");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	@Tag("F1")
	void aChangedBodyIsRefusedAndChangesNothing() {
		HttpResponse<byte[]> first = send(this.path, JSON, "{\"amount\":1}");
		List<Map<String, Object>> stored = stored();
		assertProblem(send(this.path, JSON, "{\"amount\":2}"), 422, "key-reused");
		assertThat(stored()).usingRecursiveComparison().isEqualTo(stored);
		assertReplay(send(this.path, JSON, "{\"amount\":1}"), first);
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	/**
	 * The container writes the id of a session into the path for users who refuse
	 * cookies.
	 */
	@Test
	@Tag("F9")
	void anotherSessionInThePathDoesNotCountAndAnotherPathParameterDoes() {
		HttpResponse<byte[]> first = send(this.path + ";SID=1F", JSON, "{}");
		assertOriginal(first, 200);
		assertReplay(send(this.path + ";SID=2E", JSON, "{}"), first);
		assertReplay(send(this.path + ";jsessionid=2E", JSON, "{}"), first);
		assertReplay(send(this.path, JSON, "{}"), first);
		assertProblem(send(this.path + ";version=1", JSON, "{}"), 422, "key-reused");
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	/**
	 * Each is sent by a client, or added on the way, once and not the other time.
	 */
	@Test
	@Tag("F22")
	void anotherSpellingIsTheSameRequest() {
		HttpResponse<byte[]> first = send(this.path, JSON, "{}");
		assertOriginal(first, 200);
		assertReplay(send(this.path, "application/json;charset=UTF-8", "{}"), first);
		assertReplay(send(this.path.replace("/payments", "/%70ayments"), JSON, "{}"), first);
		assertReplay(application.send(application.json(ALICE, this.path, "{}")
			.header("X-Forwarded-Prefix", "/shop")
			.header("Idempotency-Key", this.label)), first);
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	@Test
	@Tag("F9")
	void aNewTokenInTheQueryOrTheFormDoesNotCount() {
		String form = "application/x-www-form-urlencoded";
		HttpResponse<byte[]> first = send(this.path, form, "a=1&access_token=1");
		assertOriginal(first, 200);
		assertReplay(send(this.path, form, "a=1&access_token=2"), first);
		assertProblem(send(this.path, form, "a=2&access_token=1"), 422, "key-reused");
		HttpResponse<byte[]> query = send(this.path + "?access_token=3", form, "a=1", "query");
		assertReplay(send(this.path + "?access_token=4", form, "a=1", "query"), query);
	}

	@Test
	@Tag("F20")
	void theQueryOfAForwardedRequestCounts() {
		HttpResponse<byte[]> first = dispatched("forward", "amount=1");
		assertOriginal(first, 200);
		assertReplay(dispatched("forward", "amount=1"), first);
		assertProblem(dispatched("forward", "amount=2"), 422, "key-reused");
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	/**
	 * An included resource can only write, so neither marker nor status show.
	 */
	@Test
	@Tag("F20")
	void theQueryOfAnIncludedRequestCounts() {
		HttpResponse<byte[]> first = dispatched("include", "amount=1");
		assertOriginal(first, 200);
		assertThat(dispatched("include", "amount=1").body()).isEqualTo(first.body());
		assertThat(text(dispatched("include", "amount=2"))).contains("key-reused");
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	private HttpResponse<byte[]> dispatched(String kind, String query) {
		return application.send(application.json(ALICE, "/" + kind, "{}")
			.header("Target", this.path + "?" + query)
			.header("Idempotency-Key", this.label));
	}

	@ParameterizedTest
	@Tag("F2")
	@CsvSource({ "slow, 409, in-progress", "leased, 422, key-reused" })
	void aChangedBodyWhileTheFirstIsInFlightIsRefused(String kind, int status, String problem) {
		Gate gate = new Gate(new CountDownLatch(1), new CountDownLatch(1));
		gates.put(this.label, gate);
		String slow = "/" + kind + "/" + this.label;
		CompletableFuture<HttpResponse<byte[]>> running = CompletableFuture
			.supplyAsync(() -> send(slow, JSON, "{\"amount\":1}"));
		Gate.await(gate.entered());
		assertProblem(send(slow, JSON, "{\"amount\":2}"), status, problem);
		gate.mayLeave().countDown();
		HttpResponse<byte[]> first = running.join();
		assertOriginal(first, 200);
		assertProblem(send(slow, JSON, "{\"amount\":2}"), 422, "key-reused");
		assertReplay(send(slow, JSON, "{\"amount\":1}"), first);
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	@Test
	@Tag("F7")
	void theValuesOfTheQueryCountAndTheOrderOfItsParametersDoesNot() {
		HttpResponse<byte[]> first = send(this.path + "?a=1&b=2&b=3&c=%C3%A9", JSON, "{}");
		assertOriginal(first, 200);
		assertReplay(send(this.path + "?c=%c3%a9&b=2&b=3&a=1", JSON, "{}"), first);
		for (String query : List.of("?a=2&b=2&b=3&c=%C3%A9", "?a=1&b=3&b=2&c=%C3%A9", "?a=1&b=2&b=3", "",
				"?a=1&b=2&b=3&c=%C3%A9&d")) {
			assertProblem(send(this.path + query, JSON, "{}"), 422, "key-reused");
		}
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	@ParameterizedTest
	@Tag("F8")
	@ValueSource(strings = { "text/plain; charset=UTF-8", "text/plain;charset=utf-8", "TEXT/Plain ; Charset=\"UTF-8\"",
			"text/plain;charset=utf8" })
	void theSpellingOfTheMediaTypeDoesNotCount(String spelling) {
		assertSame("text/plain;charset=UTF-8", "x", spelling, "x");
	}

	@ParameterizedTest
	@Tag("F8")
	@ValueSource(
			strings = { "text/html;charset=UTF-8", "text/plain;charset=ISO-8859-1", "text/plain", "application/json" })
	void anotherMediaTypeIsAnotherRequest(String other) {
		assertDifferent("text/plain;charset=UTF-8", "1", other, "1");
	}

	@Test
	@Tag("F9")
	void aNewTokenOfTheSamePrincipalAndANewTraceDoNotCount() {
		HttpResponse<byte[]> first = application.send(delivery(1));
		assertOriginal(first, 200);
		assertReplay(application.send(delivery(2)), first);
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	@Test
	@Tag("F10")
	void anIncludedHeaderCounts() {
		HttpResponse<byte[]> first = application.send(versioned("1"));
		assertOriginal(first, 200);
		assertReplay(application.send(versioned("1")), first);
		assertProblem(application.send(versioned("2")), 422, "key-reused");
		assertProblem(send(this.path, JSON, "{}"), 422, "key-reused");
	}

	@Test
	@Tag("F11")
	void identicalBodiesWithTwoKeysAreTwoRequests() {
		assertOriginal(application.post(ALICE, this.path, "1-" + this.label, "{}"), 200);
		assertOriginal(application.post(ALICE, this.path, "2-" + this.label, "{}"), 200);
		assertThat(application.effects(this.label)).isEqualTo(2);
	}

	@Test
	@Tag("F12")
	void theFramingOfTheBodyDoesNotCount() {
		HttpResponse<byte[]> first = send(this.path, JSON, "{\"a\":1}");
		byte[] body = "{\"a\":1}".getBytes(StandardCharsets.UTF_8);
		HttpRequest.Builder chunked = application.request(ALICE, this.path)
			.header("Content-Type", JSON)
			.header("Idempotency-Key", this.label)
			.POST(BodyPublishers.fromPublisher(BodyPublishers.ofByteArray(body)));
		assertReplay(application.send(chunked), first);
	}

	private void assertSame(String type, String body, String sameType, String same) {
		HttpResponse<byte[]> first = send(this.path, type, body);
		assertOriginal(first, 200);
		assertReplay(send(this.path, sameType, same), first);
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	private void assertDifferent(String type, String body, String otherType, String other) {
		HttpResponse<byte[]> first = send(this.path, type, body);
		assertOriginal(first, 200);
		assertProblem(send(this.path, otherType, other), 422, "key-reused");
		assertReplay(send(this.path, type, body), first);
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	private HttpResponse<byte[]> send(String path, String type, String body) {
		return send(path, type, body, "");
	}

	private HttpResponse<byte[]> send(String path, String type, String body, String key) {
		return application.send(application.request(ALICE, path)
			.header("Content-Type", type)
			.header("Idempotency-Key", this.label + key)
			.POST(BodyPublishers.ofString(body)));
	}

	private HttpRequest.Builder versioned(String version) {
		return application.json(ALICE, this.path, "{}")
			.header("Idempotency-Key", this.label)
			.header("X-Api-Version", version);
	}

	private HttpRequest.Builder delivery(int number) {
		String token = Base64.getEncoder().encodeToString((ALICE + ":token-" + number).getBytes());
		return application.anonymous(this.path)
			.header("Authorization", "Basic " + token)
			.header("Content-Type", JSON)
			.header("Idempotency-Key", this.label)
			.header("User-Agent", "client/" + number)
			.header("Cookie", "visit=" + number)
			.header("X-Request-Id", "request-" + number)
			.header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333" + number + "-01")
			.POST(BodyPublishers.ofString("{}"));
	}

	private static List<Map<String, Object>> stored() {
		return application.jdbc().queryForList("select * from idempotency_record order by id");
	}

	/**
	 * Any password is a token.
	 */
	@Component
	static class Tokens implements AuthenticationProvider {

		@Override
		public Authentication authenticate(Authentication authentication) {
			return UsernamePasswordAuthenticationToken.authenticated(authentication.getName(), "",
					AuthorityUtils.NO_AUTHORITIES);
		}

		@Override
		public boolean supports(Class<?> authentication) {
			return authentication == UsernamePasswordAuthenticationToken.class;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PathParameters {

		@Bean
		HttpFirewall firewall() {
			StrictHttpFirewall firewall = new StrictHttpFirewall();
			firewall.setAllowSemicolon(true);
			return firewall;
		}

	}

	@RestController
	static class Payments {

		private final Effects effects;

		Payments(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping("/payments/{label}")
		Map<String, Object> pay(@PathVariable String label, @RequestBody(required = false) byte @Nullable [] body) {
			return Map.of("id", this.effects.record(label).getId());
		}

		@Idempotent
		@PostMapping("/slow/{label}")
		Map<String, Object> slow(@PathVariable String label) {
			return Map.of("id", passed(label));
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/leased/{label}")
		Map<String, Object> leased(@PathVariable String label) {
			return Map.of("id", passed(label));
		}

		private UUID passed(String label) {
			Gate gate = Objects.requireNonNull(gates.get(label));
			gate.entered().countDown();
			Gate.await(gate.mayLeave());
			return this.effects.record(label).getId();
		}

	}

	@RestController
	static class Dispatching {

		@PostMapping("/include")
		void include(@RequestHeader("Target") String target, HttpServletRequest request, HttpServletResponse response)
				throws ServletException, IOException {
			request.getRequestDispatcher(target).include(request, response);
		}

		@PostMapping("/forward")
		void forward(@RequestHeader("Target") String target, HttpServletRequest request, HttpServletResponse response)
				throws ServletException, IOException {
			request.getRequestDispatcher(target).forward(request, response);
		}

	}

	/**
	 * Holds a handler until the test lets it go on.
	 *
	 * @param entered opens when the handler is there
	 * @param mayLeave opens when it may go on
	 */
	private record Gate(CountDownLatch entered, CountDownLatch mayLeave) {

		static void await(CountDownLatch latch) {
			try {
				assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new IllegalStateException(ex);
			}
		}

	}

}
