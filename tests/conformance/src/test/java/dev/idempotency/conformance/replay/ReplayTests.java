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
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Responses.MARKER;
import static dev.idempotency.conformance.app.Responses.assertOriginal;
import static dev.idempotency.conformance.app.Responses.assertReplay;
import static dev.idempotency.conformance.app.Responses.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Group R: what of a replay is the stored answer's and what is the present exchange's.
 */
class ReplayTests {

	private static RunningApplication application;

	private final String label = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		application = RunningApplication.start(List.of(ReplayedThings.class, Numbering.class),
				"idempotency.replay.denied-headers=X-Internal");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	@Tag("R3")
	void whatBelongsToTheFirstExchangeIsNotReplayed() {
		HttpResponse<byte[]> first = send("own-headers");
		HttpResponse<byte[]> retry = send("own-headers");
		assertReplay(retry, first);
		for (String name : ReplayedThings.NOT_REPLAYED) {
			assertThat(first.headers().allValues(name)).as(name).isNotEmpty();
			assertThat(retry.headers().allValues(name)).as(name).isEmpty();
		}
		assertThat(retry.headers().allValues("X-Kept")).containsExactly("kept");
	}

	@Test
	@Tag("R3")
	void headersOfFiltersAppearOnceFromThePresentExchange() {
		HttpResponse<byte[]> first = send("own-headers");
		HttpResponse<byte[]> retry = send("own-headers");
		for (HttpResponse<byte[]> response : List.of(first, retry)) {
			assertThat(response.headers().allValues("X-Exchange")).hasSize(1);
			assertThat(response.headers().allValues("X-Content-Type-Options")).containsExactly("nosniff");
			assertThat(response.headers().allValues("Date")).hasSize(1);
			assertThat(response.headers().allValues("X-Request-Id")).hasSize(1);
		}
		assertThat(retry.headers().allValues("X-Exchange")).isNotEqualTo(first.headers().allValues("X-Exchange"));
	}

	@Test
	@Tag("R3")
	void varyOfFilterAndHandlerAreBothThereOnce() {
		HttpResponse<byte[]> first = send("own-headers");
		HttpResponse<byte[]> retry = send("own-headers");
		assertThat(first.headers().allValues("Vary")).contains("X-Filter", "X-Handler").doesNotHaveDuplicates();
		assertThat(retry.headers().allValues("Vary")).isEqualTo(first.headers().allValues("Vary"));
	}

	@Test
	@Tag("R3")
	void aHandlerThatReplacesTheHeaderOfAFilterReplacesItInTheReplayToo() {
		HttpResponse<byte[]> first = send("replacing");
		HttpResponse<byte[]> retry = send("replacing");
		assertThat(first.headers().allValues("X-Exchange")).containsExactly("of the handler");
		assertThat(retry.headers().allValues("X-Exchange")).containsExactly("of the handler");
		assertThat(retry.headers().allValues("Cache-Control")).containsExactly("max-age=60");
	}

	@Test
	@Tag("R3")
	void corsHeadersAreThoseOfThePresentOrigin() {
		HttpResponse<byte[]> first = application.send(request("cors").header("Origin", "https://one.example"));
		HttpResponse<byte[]> retry = application.send(request("cors").header("Origin", "https://two.example"));
		assertReplay(retry, first);
		assertThat(first.headers().allValues("Access-Control-Allow-Origin")).containsExactly("https://one.example");
		assertThat(retry.headers().allValues("Access-Control-Allow-Origin")).containsExactly("https://two.example");
		assertThat(retry.headers().allValues("Access-Control-Expose-Headers")).containsExactly(MARKER);
		assertThat(retry.headers().allValues("Vary")).isEqualTo(first.headers().allValues("Vary"));
	}

	@Test
	@Tag("R6")
	void theMarkerIsOnReplaysOnly() {
		assertOriginal(send("thing"), 201);
		assertThat(send("thing").headers().allValues(MARKER)).containsExactly("true");
		assertThat(send("thing").headers().allValues(MARKER)).containsExactly("true");
		assertThat(application.send(application.json(ALICE, path("thing"), "{}")).headers().allValues(MARKER))
			.isEmpty();
	}

	@Test
	@Tag("R7")
	void theAnswerIsTheOriginalAfterTheResourceHasChangedAndGone() {
		HttpResponse<byte[]> first = send("thing");
		application.jdbc().update("update effect set label = 'changed' where label = ?", this.label);
		assertReplay(send("thing"), first);
		application.jdbc().update("delete from effect where label = 'changed'");
		assertReplay(send("thing"), first);
		assertThat(application.effects(this.label)).isZero();
	}

	@ParameterizedTest
	@Tag("R9")
	@ValueSource(ints = { 402, 404, 409, 422 })
	void anErrorThatTheHandlerSendsIsReplayed(int status) {
		String path = "/errors/" + status + "/" + this.label;
		HttpResponse<byte[]> first = application.post(ALICE, path, this.label, "{}");
		assertOriginal(first, status);
		assertThat(text(first)).contains("\"status\":" + status, "\"timestamp\"", "\"path\":\"" + path + "\"");
		HttpResponse<byte[]> retry = application.post(ALICE, path, this.label, "{}");
		assertReplay(retry, first);
		assertThat(first.headers().allValues("X-Kept")).containsExactly("kept");
		assertThat(retry.headers().allValues("X-Kept")).containsExactly("kept");
	}

	@ParameterizedTest
	@Tag("R10")
	@ValueSource(strings = { "text/html", "application/xml", "image/png", "application/json;q=0", "" })
	void anotherAcceptGetsTheStoredRepresentation(String accept) {
		HttpResponse<byte[]> first = application.send(request("thing").header("Accept", "application/json"));
		assertOriginal(first, 201);
		assertReplay(application.send(request("thing").header("Accept", accept)), first);
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	@Test
	@Tag("R10")
	void anAcceptThatNoMappingProducesIsRefusedAsEverAndRunsNothing() {
		HttpResponse<byte[]> first = application.send(request("produces").header("Accept", "text/plain"));
		assertOriginal(first, 200);
		assertOriginal(application.send(request("produces").header("Accept", "image/png")), 406);
		assertReplay(application.send(request("produces").header("Accept", "text/plain, image/png;q=0.1")), first);
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	private HttpResponse<byte[]> send(String name) {
		return application.send(request(name));
	}

	private HttpRequest.Builder request(String name) {
		return application.json(ALICE, path(name), "{}").header("Idempotency-Key", this.label);
	}

	private String path(String name) {
		return "/" + name + "/" + this.label;
	}

	/**
	 * A filter of the user's that has something to say about each exchange.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Numbering {

		@Bean
		Filter numberingFilter() {
			AtomicInteger number = new AtomicInteger();
			return (request, response, chain) -> {
				HttpServletResponse http = (HttpServletResponse) response;
				http.setHeader("X-Exchange", "exchange " + number.incrementAndGet());
				http.addHeader("Vary", "X-Filter");
				http.setHeader("X-Request-Id", "request " + number);
				chain.doFilter(request, response);
			};
		}

	}

}
