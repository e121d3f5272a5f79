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
package dev.idempotency.conformance.replay;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.MessageSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.StaticMessageSource;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.exception.KeyReusedException;
import dev.idempotency.exception.MalformedKeyException;
import dev.idempotency.exception.MissingKeyException;
import dev.idempotency.web.problem.ProblemCustomizer;

import static dev.idempotency.conformance.app.Responses.assertOriginal;
import static dev.idempotency.conformance.app.Responses.assertReplay;
import static dev.idempotency.conformance.app.Responses.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Problems of the library, customized by an application: its exception handlers, its
 * texts, its types, its members, and its error page.
 */
class ProblemTests {

	private static final String TYPES = "https://api.example.com/problems#";

	private static final String BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(List.of(Payments.class, Advice.class, CatchAll.class, Texts.class),
				"idempotency.header=Request-Key", "idempotency.problem.type-base=" + TYPES);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	private static HttpRequest.Builder payment(String label) {
		return application.json(ALICE, "/payments", Labelled.json(label));
	}

	private static HttpResponse<byte[]> pay(String key, String label) {
		return application.send(payment(label).header("Request-Key", key));
	}

	@Test
	@Tag("X1")
	void aHandlerThatNamesTheExceptionIsAskedBeforeTheLibraryAndBeforeACatchAll() {
		HttpResponse<byte[]> first = pay("named", "named");
		assertOriginal(first, 201);
		HttpResponse<byte[]> refused = pay("named", "other");
		assertThat(refused.statusCode()).isEqualTo(423);
		assertThat(text(refused)).isEqualTo("{\"refused\":\"KeyReusedException\"}");
		assertReplay(pay("named", "named"), first);
	}

	@Test
	@Tag("X1")
	void aControllersOwnHandlerComesFirst() {
		HttpResponse<byte[]> refused = application
			.send(application.json(ALICE, "/tolerant", Labelled.json("tolerant")).header("Request-Key", "\"open"));
		assertThat(refused.statusCode()).isEqualTo(400);
		assertThat(text(refused)).isEqualTo("{\"tolerant\":true}");
		assertThat(application.effects("tolerant")).isZero();
	}

	@Test
	@Tag("K1")
	void aMissingKeyIsAProblemThatNamesTheConfiguredHeader() {
		HttpResponse<byte[]> refused = application.send(payment("missing").header("Accept-Language", "fr"));
		assertThat(refused.statusCode()).isEqualTo(400);
		assertThat(text(refused)).contains("\"type\":\"" + TYPES + "missing-key\"",
				"\"title\":\"Idempotency key missing\"", "send one in the Request-Key header");
		assertThat(refused.headers().allValues("Cache-Control")).containsExactly("no-store");
	}

	@Test
	void textsComeFromTheMessageSourceUnderSpringsCodes() {
		HttpResponse<byte[]> refused = application.send(payment("missing").header("Accept-Language", "de"));
		assertThat(text(refused)).contains("\"title\":\"Schlüssel fehlt\"",
				"\"detail\":\"Bitte die Kopfzeile Request-Key senden.\"", "\"type\":\"" + TYPES + "missing-key\"");
	}

	@Test
	void customizersAddMembersAndCannotChangeTheStatus() {
		HttpResponse<byte[]> refused = application.send(payment("missing").header("Accept-Language", "fr"));
		assertThat(refused.statusCode()).isEqualTo(400);
		assertThat(text(refused)).contains("\"support\":\"MissingKeyException\"", "\"status\":400",
				"\"instance\":\"/payments\"");
	}

	@ParameterizedTest
	@ValueSource(strings = { BROWSER, "text/html", "application/json;q=0.5, text/html" })
	void aBrowserGetsTheErrorPageWithTheStatus(String accept) {
		HttpResponse<byte[]> refused = application.send(payment("page").header("Accept", accept));
		assertThat(refused.statusCode()).isEqualTo(400);
		assertThat(refused.headers().firstValue("Content-Type").orElse("")).startsWith("text/html");
		assertThat(refused.headers().allValues("Cache-Control")).contains("no-store");
		assertThat(text(refused)).contains("Whitelabel Error Page", "status=400");
		assertThat(application.effects("page")).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "*/*", "application/json, text/plain, */*", "application/problem+json, text/html;q=0.9",
			"not a type" })
	void aProgramGetsTheProblem(String accept) {
		HttpResponse<byte[]> refused = application.send(payment("program").header("Accept", accept));
		assertThat(refused.statusCode()).isEqualTo(400);
		assertThat(refused.headers().firstValue("Content-Type")).contains("application/problem+json");
	}

	@RestController
	static class Payments {

		private final Effects effects;

		Payments(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping("/payments")
		@ResponseStatus(HttpStatus.CREATED)
		Map<String, Object> pay(@RequestBody Labelled payment) {
			return Map.of("id", this.effects.record(payment.label()).getId());
		}

	}

	@RestController
	static class Tolerant {

		@Idempotent
		@PostMapping("/tolerant")
		void run() {
			throw new IllegalStateException("A malformed key does not get here");
		}

		@ExceptionHandler
		ResponseEntity<Map<String, Object>> malformed(MalformedKeyException ex) {
			return ResponseEntity.badRequest().body(Map.of("tolerant", true));
		}

	}

	@RestControllerAdvice
	@Order(Ordered.HIGHEST_PRECEDENCE)
	static class CatchAll {

		@ExceptionHandler(Exception.class)
		ResponseEntity<Map<String, Object>> handle(Exception ex) {
			return ResponseEntity.internalServerError().body(Map.of("caught", ex.getClass().getSimpleName()));
		}

	}

	@RestControllerAdvice
	@Import(Tolerant.class)
	static class Advice {

		@ExceptionHandler
		ResponseEntity<Map<String, Object>> refused(KeyReusedException ex) {
			return ResponseEntity.status(HttpStatus.LOCKED).body(Map.of("refused", ex.getClass().getSimpleName()));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Texts {

		@Bean
		MessageSource messageSource() {
			StaticMessageSource texts = new StaticMessageSource();
			String name = MissingKeyException.class.getName();
			texts.addMessage("problemDetail.title." + name, Locale.GERMAN, "Schlüssel fehlt");
			texts.addMessage("problemDetail." + name, Locale.GERMAN, "Bitte die Kopfzeile {0} senden.");
			return texts;
		}

		@Bean
		ProblemCustomizer support() {
			return (problem, exception) -> {
				problem.setProperty("support", exception.getClass().getSimpleName());
				problem.setProperty("type", "about:blank");
				problem.setStatus(500);
			};
		}

	}

}
