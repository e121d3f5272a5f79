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

import java.lang.reflect.Method;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

import jakarta.servlet.http.Cookie;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Answers;
import dev.idempotency.conformance.app.CommittedAnswers;
import dev.idempotency.conformance.app.Responses;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.conformance.app.Wire;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Group R: whatever way a handler answers, the first answer is what it would be without
 * the library, and the second is the first.
 */
class ReplayFidelityTests {

	private static final boolean ON_JETTY = "jetty".equals(System.getProperty("idempotency.test.server"));

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(List.of(PlainAnswers.class, ProtectedAnswers.class, LeasedAnswers.class,
				ComparedHandlers.class, ComparedViews.class));
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	static Stream<String> answers() {
		return Stream.of(Answers.class, CommittedAnswers.class)
			.flatMap((type) -> Arrays.stream(type.getDeclaredMethods()))
			.filter((method) -> method.isAnnotationPresent(PostMapping.class))
			.map(ReplayFidelityTests::path)
			.sorted();
	}

	private static String path(Method method) {
		PostMapping mapping = method.getAnnotation(PostMapping.class);
		return (mapping.value().length > 0) ? mapping.value()[0] : mapping.path()[0];
	}

	@ParameterizedTest
	@Tag("R1")
	@Tag("R2")
	@Tag("R4")
	@Tag("R9")
	@MethodSource("answers")
	void theAnswerIsTheHandlersOwnAndIsReplayed(String path) {
		assertSameAsUnprotected("/kept", path);
	}

	@ParameterizedTest
	@Tag("R9")
	@MethodSource("answers")
	void theAnswerOfALeasedHandlerIsItsOwnAndIsReplayed(String path) {
		assertSameAsUnprotected("/leased", path);
	}

	@Test
	@Tag("R9")
	void anInterceptorThatFailsBeforeTheViewRollsTheExecutionBack() {
		long effects = application.effects("/kept/view");
		for (int i = 0; i < 2; i++) {
			HttpResponse<byte[]> response = application.post(ALICE, "/kept/view?failing", "failing", "{}");
			assertThat(response.statusCode()).isEqualTo(410);
		}
		assertThat(application.effects("/kept/view")).isEqualTo(effects);
	}

	/**
	 * Spring MVC commits the response of a handler that returns an entity or a problem.
	 */
	@ParameterizedTest
	@Tag("R9")
	@Tag("O7")
	@ValueSource(strings = { "/created", "/created-later", "/undeclared/entity", "/undeclared/problem",
			"/undeclared/flush" })
	void anInterceptorThatFailsAfterTheHandlerDoesNotChangeACommittedAnswer(String path) {
		String failing = path + "?failing";
		assertOriginal(send("/plain" + failing), 201);
		HttpResponse<byte[]> first = send("/kept" + failing);
		assertOriginal(first, 201);
		assertReplay(send("/kept" + failing), first);
	}

	@Test
	@Tag("R1")
	@Tag("X3")
	void theErrorPageOfAViewIsReplayedAsItWas() {
		HttpResponse<byte[]> unprotected = application.post(ALICE, "/plain/view-of-nothing", "nothing", "{}");
		HttpResponse<byte[]> first = application.post(ALICE, "/kept/view-of-nothing", "nothing", "{}");
		HttpResponse<byte[]> retry = application.post(ALICE, "/kept/view-of-nothing", "nothing", "{}");
		assertOriginal(first, 404);
		assertReplay(retry, first);
		List<String> type = unprotected.headers().allValues("Content-Type");
		assertThat(first.headers().allValues("Content-Type")).isEqualTo(type);
		assertThat(retry.headers().allValues("Content-Type")).isEqualTo(type);
	}

	/**
	 * A handler that throws has set headers before, such as when to come back.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "status", "advice", "page" })
	@Tag("X1")
	@Tag("X3")
	void theHeadersOfAHandlerThatFailsAreInTheAnswerToItsFailure(String kind) {
		Wire unprotected = wire(send("/plain/failing/" + kind));
		HttpResponse<byte[]> first = send("/kept/failing/" + kind);
		HttpResponse<byte[]> retry = send("/kept/failing/" + kind);
		assertThat(withoutTime(wire(first))).isEqualTo(withoutTime(unprotected));
		assertThat(withoutTime(withoutCookies(wire(retry), unprotected)))
			.isEqualTo(withoutTime(withoutCookies(unprotected, unprotected)));
	}

	private static Wire withoutTime(Wire wire) {
		return new Wire(wire.status(), wire.headers(), wire.body().replaceAll("\"timestamp\":\"[^\"]*\"", ""));
	}

	private static void assertSameAsUnprotected(String prefix, String path) {
		Wire unprotected = wire(send("/plain" + path));
		HttpResponse<byte[]> first = send(prefix + path);
		HttpResponse<byte[]> retry = send(prefix + path);
		assertThat(wire(first)).isEqualTo(unprotected);
		assertThat(withoutCookies(wire(retry), unprotected)).isEqualTo(withoutCookies(unprotected, unprotected));
		assertThat(retry.headers().allValues("Set-Cookie")).isEmpty();
		assertThat(first.headers().allValues(Responses.MARKER)).isEmpty();
		assertThat(retry.headers().allValues(Responses.MARKER)).containsExactly("true");
		assertThat(application.effects(prefix + path)).isEqualTo(1);
	}

	/**
	 * The container makes redirects absolute, the library leaves that to the client,
	 * whose retry may come to another host (RFC 9110 section 10.2.2).
	 */
	private static Wire wire(HttpResponse<byte[]> response) {
		Wire wire = Wire.of(response);
		Map<String, List<String>> headers = new TreeMap<>(wire.headers());
		headers.computeIfPresent("location",
				(name, values) -> values.stream().map((value) -> response.uri().resolve(value).toString()).toList());
		return new Wire(wire.status(), headers, wire.body().replaceAll("/(kept|leased)/", "/plain/"));
	}

	/**
	 * Jetty makes an answer with cookies expire, where Spring Security then forbids no
	 * caching.
	 */
	private static Wire withoutCookies(Wire wire, Wire unprotected) {
		Map<String, List<String>> headers = new TreeMap<>(wire.headers());
		headers.remove("set-cookie");
		if (ON_JETTY && unprotected.headers().containsKey("set-cookie")) {
			headers.keySet().removeAll(Set.of("expires", "cache-control", "pragma"));
		}
		return new Wire(wire.status(), headers, wire.body());
	}

	private static HttpResponse<byte[]> send(String path) {
		return application.post(ALICE, path, path.substring(1), "{}");
	}

	@Controller
	@RequestMapping("/plain")
	static class PlainAnswers extends CommittedAnswers {

	}

	@Controller
	@Idempotent
	@RequestMapping("/kept")
	static class ProtectedAnswers extends CommittedAnswers {

	}

	@Controller
	@Idempotent(mode = Mode.LEASED)
	@RequestMapping("/leased")
	static class LeasedAnswers extends CommittedAnswers {

	}

}
