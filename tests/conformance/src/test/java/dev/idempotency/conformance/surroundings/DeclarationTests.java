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

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.annotation.AliasFor;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Required;
import dev.idempotency.Idempotent.Scope;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Responses.assertOriginal;
import static dev.idempotency.conformance.app.Responses.assertProblem;
import static dev.idempotency.conformance.app.Responses.assertReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static dev.idempotency.conformance.app.RunningApplication.BOB;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The places of the annotation, and the effects of its attributes.
 */
class DeclarationTests {

	private static RunningApplication application;

	private final String label = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		application = RunningApplication.start(
				List.of(OnClass.class, OnInterface.class, OnExchange.class, OnSuperclass.class, OnMethods.class),
				"retention.of.payments=72h", "resource.of.payments=payments");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "class", "interface", "exchange", "superclass", "meta", "placeholders" })
	void theAnnotationHoldsWhereverItStands(String place) {
		String path = "/on-" + place + "/" + this.label;
		assertProblem(application.send(application.json(ALICE, path, "{}")), 400, "missing-key");
		HttpResponse<byte[]> first = application.post(ALICE, path, this.label, "{}");
		assertOriginal(first, 200);
		assertReplay(application.post(ALICE, path, this.label, "{}"), first);
		assertProblem(application.post(ALICE, path, this.label, "{\"other\":1}"), 422, "key-reused");
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	@Test
	void theAnnotationOfTheMethodWinsOverThatOfTheClass() {
		for (int i = 0; i < 2; i++) {
			assertOriginal(application.send(application.json(ALICE, "/on-class/own/" + this.label, "{}")), 200);
		}
		assertThat(application.effects(this.label)).isEqualTo(2);
	}

	@ParameterizedTest
	@CsvSource({ "ttl,PT30M", "placeholders,PT72H", "class,PT24H" })
	void anAnswerIsKeptAsLongAsItsEndpointSays(String place, Duration ttl) {
		application.jdbc().update("delete from idempotency_record");
		assertOriginal(application.post(ALICE, "/on-" + place + "/" + this.label, this.label, "{}"), 200);
		Double kept = application.jdbc()
			.queryForObject("select extract(epoch from expires_at - finished_at) from idempotency_record",
					Double.class);
		assertThat(kept).isEqualTo(ttl.toSeconds());
	}

	@Test
	void theKeyOfAnExpressionReplacesTheHeader() {
		String path = "/on-expression/" + this.label;
		String body = "{\"reference\":\"" + this.label + "\"}";
		HttpResponse<byte[]> first = application.send(application.json(ALICE, path, body));
		assertOriginal(first, 200);
		assertReplay(application.send(application.json(ALICE, path, body)), first);
		assertReplay(application.post(ALICE, path, "another key", body), first);
		assertOriginal(application.send(application.json(BOB, path, body)), 200);
		assertThat(application.effects(this.label)).isEqualTo(2);
		assertProblem(
				application.send(application.json(ALICE, path, "{\"reference\":\"" + this.label + "\",\"amount\":1}")),
				422, "key-reused");
	}

	@Test
	void anExpressionThatGivesNothingIsAMissingKey() {
		assertProblem(application.post(ALICE, "/on-expression/" + this.label, this.label, "{}"), 400, "missing-key");
		assertThat(application.effects(this.label)).isZero();
	}

	@Test
	void anExpressionThatGivesTooMuchIsAMalformedKey() {
		String body = "{\"reference\":\"" + "k".repeat(256) + "\"}";
		assertProblem(application.send(application.json(ALICE, "/on-expression/" + this.label, body)), 400,
				"malformed-key");
		assertThat(application.effects(this.label)).isZero();
	}

	@Test
	void anOptionalExpressionThatGivesNothingRunsUnprotected() {
		for (int i = 0; i < 2; i++) {
			assertOriginal(application.send(application.json(ALICE, "/on-optional-expression/" + this.label, "{}")),
					200);
		}
		assertThat(application.effects(this.label)).isEqualTo(2);
	}

	@Retention(RetentionPolicy.RUNTIME)
	@Idempotent(scope = Scope.ENDPOINT)
	@interface Safely {

		@AliasFor(annotation = Idempotent.class)
		String ttl() default "";

	}

	@RestController
	@Idempotent
	static class OnClass extends Base {

		OnClass(Effects effects) {
			super(effects);
		}

		@PostMapping("/on-class/{label}")
		Map<String, Object> post(@PathVariable String label) {
			return effect(label);
		}

		@Idempotent(required = Required.FALSE)
		@PostMapping("/on-class/own/{label}")
		Map<String, Object> own(@PathVariable String label) {
			return effect(label);
		}

	}

	interface Api<T> {

		@Idempotent
		@PostMapping("/on-interface/{label}")
		T post(@PathVariable String label);

	}

	@RestController
	static class OnInterface extends Base implements Api<Map<String, Object>> {

		OnInterface(Effects effects) {
			super(effects);
		}

		@Override
		public Map<String, Object> post(String label) {
			return effect(label);
		}

	}

	@HttpExchange("/on-exchange")
	interface ExchangeApi {

		@Idempotent
		@PostExchange("/{label}")
		Map<String, Object> post(@PathVariable String label);

	}

	@RestController
	static class OnExchange extends Base implements ExchangeApi {

		OnExchange(Effects effects) {
			super(effects);
		}

		@Override
		public Map<String, Object> post(String label) {
			return effect(label);
		}

	}

	@Idempotent
	abstract static class Protected extends Base {

		Protected(Effects effects) {
			super(effects);
		}

		@PostMapping("/on-superclass/{label}")
		Map<String, Object> post(@PathVariable String label) {
			return effect(label);
		}

	}

	@RestController
	static class OnSuperclass extends Protected {

		OnSuperclass(Effects effects) {
			super(effects);
		}

	}

	@RestController
	static class OnMethods extends Base {

		OnMethods(Effects effects) {
			super(effects);
		}

		@Safely
		@PostMapping("/on-meta/{label}")
		Map<String, Object> meta(@PathVariable String label) {
			return effect(label);
		}

		@Safely(ttl = "30m")
		@PostMapping("/on-ttl/{label}")
		Map<String, Object> ttl(@PathVariable String label) {
			return effect(label);
		}

		@Idempotent(scope = Scope.RESOURCE, resource = "${resource.of.payments}", ttl = "${retention.of.payments}")
		@PostMapping("/on-placeholders/{label}")
		Map<String, Object> placeholders(@PathVariable String label) {
			return effect(label);
		}

		@Idempotent(key = "#payment['reference']")
		@PostMapping("/on-expression/{label}")
		Map<String, Object> expression(@PathVariable String label, @RequestBody Map<String, Object> payment) {
			return effect(label);
		}

		@Idempotent(key = "#p1['reference']", required = Required.FALSE)
		@PostMapping("/on-optional-expression/{label}")
		Map<String, Object> optional(@PathVariable String label, @RequestBody Map<String, Object> payment) {
			return effect(label);
		}

	}

	abstract static class Base {

		private final Effects effects;

		Base(Effects effects) {
			this.effects = effects;
		}

		Map<String, Object> effect(String label) {
			return Map.of("id", this.effects.record(label).getId());
		}

	}

}
