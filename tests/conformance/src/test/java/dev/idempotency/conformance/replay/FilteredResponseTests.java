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
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.view.AbstractView;
import org.springframework.web.servlet.view.RedirectView;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.ClearTextClients;
import dev.idempotency.conformance.app.Responses;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Responses.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Handlers that exist twice, with and without the annotation, behind each of the filters
 * {@link ResponseFilters} around their response: on Tomcat, and with
 * {@code -Didempotency.test.server=jetty} on Jetty, over HTTP/1.1 and HTTP/2.
 */
@Tag("postgresql")
class FilteredResponseTests {

	private static final List<String> HANDLERS = List.of("writer", "writer-flushed", "writer-without-type",
			"writer-in-latin-1", "view", "text", "json", "stream", "stream-flushed", "writer-closed", "stream-closed",
			"redirect", "redirect-303", "redirect-view", "error", "error-with-message", "reset", "header-removed",
			"type-removed", "encoded", "nothing");

	private static RunningApplication application;

	private final String key = UUID.randomUUID().toString();

	private final ClearTextClients clients = new ClearTextClients(application.port());

	@BeforeAll
	static void start() {
		application = RunningApplication.start(List.of(Plain.class, Kept.class), "server.http2.enabled=true",
				"spring.web.resources.chain.strategy.content.enabled=true");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	static Stream<Arguments> filtersAndHandlers() {
		return Arrays.stream(ResponseFilters.values())
			.flatMap((filter) -> HANDLERS.stream().map((handler) -> Arguments.of(filter, handler)));
	}

	@ParameterizedTest
	@MethodSource("filtersAndHandlers")
	@Tag("R12")
	void aFilterSeesTheCallsOfTheHandler(ResponseFilters filter, String handler) throws Exception {
		for (Version version : Version.values()) {
			HttpResponse<byte[]> plain = post(version, filter, "/plain/" + handler);
			HttpResponse<byte[]> first = post(version, filter, "/kept/" + handler);
			if (plain.statusCode() != 500) {
				assertThat(facts(first)).as(version.name()).isEqualTo(facts(plain));
				assertThat(first.headers().firstValue(Responses.MARKER)).isEmpty();
			}
			HttpResponse<byte[]> retry = post(version, filter, "/kept/" + handler);
			assertThat(retry.statusCode()).as(version.name()).isEqualTo(first.statusCode());
			if (!handler.startsWith("error")) {
				// A replay has no error dispatch, which bypasses these filters
				assertThat(facts(retry)).as(version.name()).isEqualTo(facts(first));
			}
			if (first.statusCode() == 500) {
				assertThat(retry.headers().firstValue(Responses.MARKER)).isEmpty();
			}
			else if (first.statusCode() < 400) {
				assertThat(retry.headers().firstValue(Responses.MARKER)).contains("true");
			}
		}
	}

	/**
	 * The retry may come by another way, on which the container accepts less: Jetty does
	 * not take more than was announced, nor another type behind a writer.
	 */
	@ParameterizedTest
	@MethodSource("filtersAndHandlers")
	@Tag("R12")
	void aReplayIsSentThroughWhatIsLeftOfTheResponse(ResponseFilters filter, String handler) throws Exception {
		for (Version version : Version.values()) {
			HttpResponse<byte[]> plain = post(version, filter, "/plain/" + handler);
			HttpResponse<byte[]> first = post(version, ResponseFilters.NOTHING, "/kept/" + handler);
			HttpResponse<byte[]> retry = post(version, filter, "/kept/" + handler);
			if (retry.statusCode() == 500) {
				assertThat(plain.statusCode()).as(version.name()).isEqualTo(500);
				assertThat(ClassUtils.isPresent("org.eclipse.jetty.server.Server", null)).isTrue();
				continue;
			}
			// Filters replace redirects
			assertThat(retry.statusCode()).as(version.name())
				.isEqualTo(handler.startsWith("redirect") ? plain.statusCode() : first.statusCode());
			if (filter == ResponseFilters.WRITER_TAKEN || filter == ResponseFilters.STREAM_TAKEN) {
				assertThat(text(retry).length()).isEqualTo(text(first).length());
			}
		}
	}

	private HttpResponse<byte[]> post(Version version, ResponseFilters filter, String path) throws Exception {
		HttpRequest request = application.json(ALICE, path, "{}")
			.header("Idempotency-Key", this.key + version)
			.header("Around", filter.name())
			.build();
		return (filter != ResponseFilters.WRITTEN_AFTER) ? this.clients.sendUntilAnswered(version, request)
				// Tomcat closes a connection on which more was written than the handler
				// has announced
				: new ClearTextClients(application.port()).sendUntilAnswered(version, request);
	}

	/**
	 * Returns what the client gets, without what differs between any two responses: Jetty
	 * may end the body of an error with the connection or by chunks.
	 */
	private static Map<String, Object> facts(HttpResponse<byte[]> response) {
		Map<String, Object> facts = new TreeMap<>(response.headers().map());
		facts.keySet()
			.removeAll(List.of("date", "connection", "transfer-encoding", Responses.MARKER.toLowerCase(Locale.ROOT)));
		facts.put(":status", response.statusCode());
		facts.put(":body",
				text(response).replace("/plain/", "/kept/").replaceAll("\"timestamp\":\"[^\"]*\"", "\"timestamp\""));
		return facts;
	}

	/**
	 * The handlers of both.
	 */
	abstract static class Twins {

		private static final String GREETING = "Grüße";

		@PostMapping("/writer")
		void writer(HttpServletResponse response) throws IOException {
			response.setContentType("text/plain;charset=UTF-8");
			response.getWriter().print(GREETING);
		}

		@PostMapping("/writer-flushed")
		void writerFlushed(HttpServletResponse response) throws IOException {
			writer(response);
			response.getWriter().flush();
		}

		@PostMapping("/writer-without-type")
		void writerWithoutType(HttpServletResponse response) throws IOException {
			response.setCharacterEncoding("UTF-8");
			response.getWriter().print(GREETING);
		}

		@PostMapping("/writer-in-latin-1")
		void writerInLatin1(HttpServletResponse response) throws IOException {
			response.setContentType("text/plain");
			response.setCharacterEncoding("ISO-8859-1");
			response.getWriter().print(GREETING);
		}

		@PostMapping("/view")
		ModelAndView view() {
			return new ModelAndView(new AbstractView() {

				@Override
				protected void renderMergedOutputModel(Map<String, Object> model, HttpServletRequest request,
						HttpServletResponse response) throws IOException {
					response.setContentType("text/html;charset=UTF-8");
					response.getWriter().print("<a href=\"" + response.encodeURL("/a.css") + "\">" + GREETING);
				}

			});
		}

		@PostMapping("/text")
		String text() {
			return "text";
		}

		@PostMapping("/json")
		ResponseEntity<Map<String, String>> json() {
			return ResponseEntity.status(201).header("X-Own", "1").body(Map.of("a", GREETING));
		}

		@PostMapping("/stream")
		void stream(HttpServletResponse response) throws IOException {
			response.setContentType("text/plain;charset=UTF-8");
			response.getOutputStream().print("stream");
		}

		@PostMapping("/stream-flushed")
		void streamFlushed(HttpServletResponse response) throws IOException {
			stream(response);
			response.getOutputStream().flush();
		}

		@PostMapping("/writer-closed")
		void writerClosed(HttpServletResponse response) throws IOException {
			writer(response);
			response.getWriter().close();
		}

		@PostMapping("/stream-closed")
		void streamClosed(HttpServletResponse response) throws IOException {
			stream(response);
			response.getOutputStream().close();
		}

		@PostMapping("/redirect")
		void redirect(HttpServletResponse response) throws IOException {
			response.setHeader("X-Own", "1");
			response.sendRedirect(response.encodeRedirectURL("/elsewhere"));
		}

		@PostMapping("/redirect-303")
		void redirect303(HttpServletResponse response) throws IOException {
			response.sendRedirect("/elsewhere", 303);
		}

		@PostMapping("/redirect-view")
		RedirectView redirectView() {
			return new RedirectView("/elsewhere");
		}

		@PostMapping("/error")
		void error(HttpServletResponse response) throws IOException {
			response.sendError(409);
		}

		@PostMapping("/error-with-message")
		void errorWithMessage(HttpServletResponse response) throws IOException {
			response.sendError(404, "none");
		}

		@PostMapping("/reset")
		void reset(HttpServletResponse response) throws IOException {
			response.setHeader("X-Own", "1");
			response.getOutputStream().print("discarded");
			response.reset();
			response.setContentType("text/plain");
			response.getWriter().print("kept");
		}

		@PostMapping("/header-removed")
		String headerRemoved(HttpServletResponse response) {
			response.setHeader("X-Filter", null);
			return "removed";
		}

		@PostMapping("/type-removed")
		void typeRemoved(HttpServletResponse response) throws IOException {
			response.setContentType(null);
			response.getOutputStream().print("removed");
		}

		@PostMapping("/encoded")
		String encoded(HttpServletResponse response) {
			return response.encodeURL("/a.css") + " " + response.encodeRedirectURL("/b");
		}

		@PostMapping("/nothing")
		void nothing() {
		}

	}

	@RestController
	@RequestMapping("/plain")
	static class Plain extends Twins {

		/**
		 * Applies the filter that the request names.
		 */
		@Bean
		static FilterRegistrationBean<Filter> around() {
			FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>((request, response, chain) -> {
				String name = ((HttpServletRequest) request).getHeader("Around");
				if (name != null) {
					ResponseFilters.valueOf(name).filter().doFilter(request, response, chain);
				}
				else {
					chain.doFilter(request, response);
				}
			});
			registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
			return registration;
		}

	}

	@RestController
	@Idempotent
	@RequestMapping("/kept")
	static class Kept extends Twins {

	}

}
