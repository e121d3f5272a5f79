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

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.view.AbstractView;
import org.springframework.web.servlet.view.InternalResourceView;

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
		application = RunningApplication.start(
				List.of(PlainAnswers.class, ProtectedAnswers.class, LeasedAnswers.class, Targets.class, Views.class));
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
	 * Spring MVC commits the response of a handler that returns an entity with a body.
	 */
	@Test
	@Tag("R9")
	@Tag("O7")
	void anInterceptorThatFailsAfterTheHandlerDoesNotChangeACommittedAnswer() {
		assertOriginal(application.post(ALICE, "/plain/created?failing", "failing-created", "{}"), 201);
		HttpResponse<byte[]> first = application.post(ALICE, "/kept/created?failing", "failing-created", "{}");
		assertOriginal(first, 201);
		assertReplay(application.post(ALICE, "/kept/created?failing", "failing-created", "{}"), first);
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

	/**
	 * A page, and an interceptor that has a say in every page.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Views implements WebMvcConfigurer {

		@Bean({ "greeting", "plain/view-default", "kept/view-default", "leased/view-default" })
		View greeting() {
			return new Greeting();
		}

		@Override
		public void addInterceptors(InterceptorRegistry registry) {
			registry.addInterceptor(new HandlerInterceptor() {

				@Override
				public void postHandle(HttpServletRequest request, HttpServletResponse response, Object handler,
						@Nullable ModelAndView view) {
					if (request.getQueryString() != null && request.getDispatcherType() == DispatcherType.REQUEST) {
						throw new ResponseStatusException(HttpStatus.GONE);
					}
					if (view != null) {
						view.addObject("site", "page of the interceptor");
					}
				}

			});
		}

	}

	static class Greeting extends AbstractView {

		@Override
		protected void renderMergedOutputModel(Map<String, Object> model, HttpServletRequest request,
				HttpServletResponse response) throws IOException {
			response.setContentType("text/html;charset=UTF-8");
			response.setHeader("X-View", "greeting");
			response.getWriter().print("Hello " + model.get("name") + ", from " + model.get("site"));
		}

	}

	@RestController
	static class Targets {

		@PostMapping("/plain/failing/{kind}")
		void failing(@PathVariable String kind, HttpServletResponse response) {
			response.setHeader("Retry-After", "7");
			response.addHeader("X-Reason", "1");
			response.addHeader("X-Reason", "2");
			response.addCookie(new Cookie("attempt", "1"));
			response.setContentType("text/csv;charset=UTF-16");
			response.setHeader("Content-Disposition", "attachment");
			throw switch (kind) {
				case "status" -> new ResponseStatusException(HttpStatus.CONFLICT);
				case "advice" -> new UnsupportedOperationException();
				default -> new IllegalStateException();
			};
		}

		@Idempotent
		@PostMapping("/kept/failing/{kind}")
		void keptFailing(@PathVariable String kind, HttpServletResponse response) {
			failing(kind, response);
		}

		@ExceptionHandler
		ResponseEntity<String> answer(UnsupportedOperationException ex, HttpServletResponse response) {
			return ResponseEntity.status(409).body("after " + response.getHeaders("X-Reason"));
		}

		@PostMapping("/plain/view-of-nothing")
		ModelAndView viewOfNothing() {
			return new ModelAndView(new InternalResourceView("/open/nothing"));
		}

		@Idempotent
		@PostMapping("/kept/view-of-nothing")
		ModelAndView keptViewOfNothing() {
			return viewOfNothing();
		}

		@PostMapping("/plain/created")
		ResponseEntity<String> created() {
			return ResponseEntity.status(201).body("created");
		}

		@Idempotent
		@PostMapping("/kept/created")
		ResponseEntity<String> keptCreated() {
			return created();
		}

		@PostMapping("/open/included-head")
		void includedHead(HttpServletResponse response) throws IOException {
			response.setStatus(202);
			response.setHeader("X-Target", "included");
			response.setContentType("text/css;charset=UTF-8");
			response.setLocale(Locale.JAPAN);
			response.getWriter().print("included");
		}

		@PostMapping("/open/included-redirect")
		void includedRedirect(HttpServletResponse response) throws IOException {
			response.sendRedirect("/elsewhere");
		}

		@PostMapping("/open/forwarded")
		String forwarded(@RequestAttribute String forwarded, HttpServletResponse response) {
			response.setHeader("X-Target", "forwarded");
			return "forwarded " + forwarded;
		}

		@PostMapping("/open/included")
		void included(@RequestAttribute String forwarded, HttpServletResponse response) throws IOException {
			response.getWriter().print("included " + forwarded);
		}

	}

}
