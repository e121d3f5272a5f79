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
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.cors.CorsConfiguration;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.conformance.app.StoreWatch;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.Exchanges.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Cross-origin requests, and dispatches within the server.
 */
class SurroundingsTests {

	private static final String ORIGIN = "https://shop.example";

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(List.of(Payments.class, StoreWatch.class));
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	@Tag("O3")
	void aPreflightDoesNotReachTheStore() {
		StoreWatch store = application.context().getBean(StoreWatch.class);
		int calls = store.calls();
		HttpResponse<byte[]> preflight = application.send(application.anonymous("/payments")
			.method("OPTIONS", BodyPublishers.noBody())
			.header("Origin", ORIGIN)
			.header("Access-Control-Request-Method", "POST")
			.header("Access-Control-Request-Headers", "content-type,idempotency-key"));
		assertThat(preflight.statusCode()).isEqualTo(200);
		assertThat(preflight.headers().firstValue("Access-Control-Allow-Headers"))
			.hasValueSatisfying((value) -> assertThat(value).containsIgnoringCase("idempotency-key"));
		assertThat(store.calls()).isEqualTo(calls);
	}

	@Test
	@Tag("O3")
	void markerLocationAndRetryAfterCanBeExposedAndComeOnceOnAReplay() {
		HttpResponse<byte[]> first = crossOrigin("o3");
		assertOriginal(first, 201);
		HttpResponse<byte[]> retry = crossOrigin("o3");
		assertReplay(retry, first);
		for (HttpResponse<byte[]> response : List.of(first, retry)) {
			assertThat(response.headers().allValues("Access-Control-Allow-Origin")).containsExactly(ORIGIN);
			assertThat(response.headers().allValues("Access-Control-Expose-Headers"))
				.containsExactly("Idempotent-Replayed, Location, Retry-After");
			assertThat(response.headers().allValues("Location")).hasSize(1);
		}
	}

	private static HttpResponse<byte[]> crossOrigin(String label) {
		return application.send(application.json(ALICE, "/payments", Labelled.json(label))
			.header("Idempotency-Key", label)
			.header("Origin", ORIGIN));
	}

	@ParameterizedTest
	@ValueSource(strings = { "/forward", "/forward-view", "/forward-plain", "/include" })
	@Tag("O5")
	void anInnerDispatchAppliesTheLayerOnceAndItsOutputIsReplayed(String path) {
		String label = "o5" + path.replace('/', '-');
		long records = application.records();
		HttpResponse<byte[]> first = application.post(path, label);
		assertThat(first.statusCode()).as(text(first)).isBetween(200, 201);
		assertThat(text(first)).contains("\"id\":");
		assertReplay(application.post(path, label), first);
		assertThat(application.effects(label)).isEqualTo(1);
		assertThat(application.records()).isEqualTo(records + 1);
	}

	@Test
	@Tag("O5")
	void anErrorDispatchAppliesTheLayerOnceAndItsOutputIsReplayed() {
		long records = application.records();
		HttpResponse<byte[]> refused = application.post("/send-error", "o5-error");
		assertOriginal(refused, 409);
		assertThat(text(refused)).contains("\"path\":\"/send-error\"");
		assertReplay(application.post("/send-error", "o5-error"), refused);
		assertThat(application.records()).isEqualTo(records + 1);
	}

	@Controller
	static class Payments {

		private final Effects effects;

		Payments(Effects effects) {
			this.effects = effects;
		}

		@Bean
		@Order(0)
		static SecurityFilterChain crossOrigin(HttpSecurity http) {
			CorsConfiguration cors = new CorsConfiguration();
			cors.setAllowedOrigins(List.of(ORIGIN));
			cors.setAllowedMethods(List.of("POST"));
			cors.setAllowedHeaders(List.of("Content-Type", "Idempotency-Key"));
			cors.setExposedHeaders(List.of("Idempotent-Replayed", "Location", "Retry-After"));
			return http.securityMatcher("/payments")
				.cors((configurer) -> configurer.configurationSource((request) -> cors))
				.csrf((csrf) -> csrf.disable())
				.httpBasic(Customizer.withDefaults())
				.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
				.build();
		}

		@Idempotent
		@PostMapping("/payments")
		@ResponseBody
		ResponseEntity<Map<String, Object>> pay(@RequestBody Labelled payment) {
			var id = this.effects.record(payment.label()).getId();
			return ResponseEntity.status(HttpStatus.CREATED)
				.header("Location", "/payments/" + id)
				.body(Map.of("id", id));
		}

		@Idempotent
		@PostMapping("/forward")
		void forward(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
			request.getRequestDispatcher("/payments").forward(request, response);
		}

		@Idempotent
		@PostMapping("/forward-view")
		String forwardView() {
			return "forward:/payments";
		}

		@PostMapping("/forward-plain")
		String forwardPlain() {
			return "forward:/payments";
		}

		@Idempotent
		@PostMapping("/include")
		void include(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
			response.setContentType("application/json");
			response.getOutputStream().print("{\"included\":");
			request.getRequestDispatcher("/payments").include(request, response);
			response.getOutputStream().print("}");
		}

		@Idempotent
		@PostMapping("/send-error")
		void sendError(@RequestBody Labelled payment, HttpServletResponse response) throws IOException {
			response.sendError(HttpStatus.CONFLICT.value(), "because");
		}

	}

}
