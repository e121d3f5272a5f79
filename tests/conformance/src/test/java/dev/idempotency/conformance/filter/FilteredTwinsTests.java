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
package dev.idempotency.conformance.filter;

import java.io.IOException;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.ClearTextClients;
import dev.idempotency.conformance.app.Multipart;
import dev.idempotency.conformance.app.Readers;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Responses.assertProblem;
import static dev.idempotency.conformance.app.Responses.assertReplay;
import static dev.idempotency.conformance.app.Responses.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Handlers that exist twice, with and without the annotation, behind each of the filters
 * {@link Around} them: on Tomcat, and with {@code -Didempotency.test.server=jetty} on
 * Jetty, over HTTP/1.1 and HTTP/2, with and without a {@code Content-Length}.
 */
@Tag("F19")
@ExtendWith(OutputCaptureExtension.class)
class FilteredTwinsTests {

	private static final String FORM = "application/x-www-form-urlencoded";

	private static RunningApplication application;

	/**
	 * Tomcat ends a connection of HTTP/2 with small frames.
	 */
	private static final String PAD = "x".repeat(1024);

	private final String key = UUID.randomUUID().toString();

	private final ClearTextClients clients = new ClearTextClients(application.port());

	@BeforeAll
	static void start() {
		application = RunningApplication.start(List.of(Plain.class, Kept.class, Leased.class),
				"server.http2.enabled=true");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	static Stream<Arguments> passedOn() {
		return Arrays.stream(Around.values())
			.filter((around) -> !around.takesTheBody())
			.flatMap((around) -> Stream.of(Content.values())
				.filter((content) -> content != Content.FILE || !around.replacesTheStream())
				.map((content) -> Arguments.of(around, content)));
	}

	static Stream<Arguments> taken() {
		return Arrays.stream(Around.values())
			.filter(Around::takesTheBody)
			.flatMap((around) -> Stream.of(Content.values())
				.filter((content) -> content != Content.FILE || (!around.begins() && isTomcat()))
				.map((content) -> Arguments.of(around, content)));
	}

	/**
	 * Jetty ends a request whose parts it cannot find any more, before the handler.
	 */
	private static boolean isTomcat() {
		return ClassUtils.isPresent("org.springframework.boot.tomcat.TomcatWebServer", null);
	}

	@ParameterizedTest
	@MethodSource("passedOn")
	void theHandlerGetsWhatItGetsWithoutTheLibrary(Around around, Content content) throws Exception {
		for (String reader : content.readers) {
			for (Wire wire : Wire.all()) {
				String own = this.key + reader + wire;
				HttpResponse<byte[]> plain = send(wire, around, "/plain/" + reader, content.type, content.body("1"),
						own);
				HttpResponse<byte[]> kept = send(wire, around, "/kept/" + reader, content.type, content.body("1"), own);
				String what = around + " " + content + " " + reader + " " + wire;
				assertThat(kept.statusCode()).as(what + ": " + text(kept)).isEqualTo(plain.statusCode());
				if (kept.statusCode() == 200) {
					assertThat(text(kept)).as(what).isEqualTo(text(plain));
					assertReplay(send(wire, around, "/kept/" + reader, content.type, content.body("1"), own), kept);
					HttpResponse<byte[]> other = send(wire, around, "/kept/" + reader, content.type, content.body("2"),
							own);
					assertThat(other.statusCode()).as(what + ": " + text(other)).isEqualTo(422);
				}
			}
		}
	}

	@ParameterizedTest
	@MethodSource("taken")
	@Tag("F18")
	void aBodyThatWasReadBeforeIsRefused(Around around, Content content, CapturedOutput output) throws Exception {
		for (Wire wire : Wire.all()) {
			String own = this.key + wire;
			String what = around + " " + content + " " + wire;
			int plain = sendRefused(wire, around, "/plain/taken", content.type, content.body("1"), own).statusCode();
			for (String amount : List.of("1", "999")) {
				HttpResponse<byte[]> kept = sendRefused(wire, around, "/kept/taken", content.type, content.body(amount),
						own);
				// The container may find a multipart body without its begin malformed
				assertThat(kept.statusCode()).as(what + ": " + text(kept)).isEqualTo((plain == 200) ? 500 : plain);
				assertThat(kept.headers().firstValue("Idempotent-Replayed")).isEmpty();
			}
		}
		if (content != Content.FILE) {
			assertThat(output).contains("IDEM-1311", "got a request whose body");
		}
	}

	@ParameterizedTest
	@EnumSource
	@Tag("F18")
	void anEmptyBodyIsNoBodyThatWasRead(Content content) throws Exception {
		for (Around around : Around.values()) {
			if (around == Around.READER_OPENED || around == Around.DRAINED_BY_READER || content == Content.FILE) {
				continue;
			}
			for (Wire wire : Wire.all()) {
				String own = this.key + around + wire;
				HttpResponse<byte[]> first = send(wire, around, "/kept/nothing", content.type, "".getBytes(), own);
				assertThat(first.statusCode()).as(around + " " + wire + text(first)).isEqualTo(200);
				assertReplay(send(wire, around, "/kept/nothing", content.type, "".getBytes(), own), first);
			}
		}
	}

	@Test
	void theFirewallSeesTheParametersOfAProtectedForm() throws Exception {
		for (String path : List.of("/plain", "/kept", "/leased")) {
			HttpResponse<byte[]> response = send(new Wire(Version.HTTP_1_1, true), Around.NOTHING, path + "/parameters",
					FORM, "a%0Ab=1&a=1".getBytes(), this.key + path);
			assertThat(response.statusCode()).as(path + text(response)).isEqualTo(400);
		}
	}

	@Test
	void aParameterThatAFilterSetsIsTheHandlers() throws Exception {
		for (String path : List.of("/plain", "/kept", "/leased")) {
			HttpResponse<byte[]> response = send(new Wire(Version.HTTP_1_1, true), Around.PINNED, path + "/owner", FORM,
					"owner=mallory".getBytes(), this.key + path);
			assertThat(text(response)).as(path).isEqualTo("filter");
		}
	}

	@Test
	void whatAFilterRemovesDoesNotCount() throws Exception {
		Wire wire = new Wire(Version.HTTP_1_1, true);
		HttpResponse<byte[]> first = send(wire, Around.CLEANED_PARAMETERS, "/kept/request-param", FORM,
				"a=%3Cscript%3E1".getBytes(), this.key);
		assertThat(text(first)).isEqualTo("1 null");
		assertReplay(send(wire, Around.CLEANED_PARAMETERS, "/kept/request-param", FORM, "a=1".getBytes(), this.key),
				first);
	}

	@Test
	void aFormOfAnotherMethodHasItsParameters() throws Exception {
		for (Wire wire : Wire.all()) {
			String own = this.key + wire;
			HttpRequest.Builder request = request(Around.NOTHING, "/kept/put", FORM, own);
			HttpResponse<byte[]> first = send(wire, request.PUT(wire.publisher(("a=1&pad=" + PAD).getBytes())));
			assertThat(text(first)).isEqualTo("1");
			assertReplay(send(wire, request.PUT(wire.publisher(("a=1&pad=" + PAD).getBytes()))), first);
			assertProblem(send(wire, request.PUT(wire.publisher(("a=2&pad=" + PAD).getBytes()))), 422, "key-reused");
		}
	}

	private HttpResponse<byte[]> send(Wire wire, Around around, String path, String type, byte[] body, String key)
			throws IOException, InterruptedException {
		return send(wire, request(around, path, type, key).POST(wire.publisher(body)));
	}

	private HttpResponse<byte[]> sendRefused(Wire wire, Around around, String path, String type, byte[] body,
			String key) throws IOException, InterruptedException {
		return this.clients.sendUntilAnswered(wire.version(),
				request(around, path, type, key).POST(wire.publisher(body)).build());
	}

	private static HttpRequest.Builder request(Around around, String path, String type, String key) {
		return application.request(ALICE, path)
			.header("Around", around.name())
			.header("Content-Type", type)
			.header("Idempotency-Key", "\"" + key + "\"");
	}

	private HttpResponse<byte[]> send(Wire wire, HttpRequest.Builder request) throws IOException, InterruptedException {
		return this.clients.send(wire.version(), request.build());
	}

	/**
	 * A way to send a body.
	 *
	 * @param version the version of HTTP
	 * @param announced whether the length is sent before the body
	 */
	record Wire(Version version, boolean announced) {

		static List<Wire> all() {
			return Stream.of(Version.values())
				.flatMap((version) -> Stream.of(new Wire(version, true), new Wire(version, false)))
				.toList();
		}

		BodyPublisher publisher(byte[] body) {
			BodyPublisher publisher = BodyPublishers.ofByteArray(body);
			return this.announced ? publisher : BodyPublishers.fromPublisher(publisher);
		}

	}

	/**
	 * A kind of body, and the handlers that read it.
	 */
	enum Content {

		JSON("application/json", "json", "string", "entity", "stream"),

		TEXT("text/plain", "string", "stream"),

		FORM_FIELDS(FORM, "request-param", "parameters", "injected-parameters", "model-attribute", "form-body",
				"string", "stream", "reader"),

		FILE("multipart/form-data; boundary=b", "files", "parts", "parameters", "request-param");

		final String type;

		final List<String> readers;

		Content(String type, String... readers) {
			this.type = type;
			this.readers = List.of(readers);
		}

		byte[] body(String amount) {
			String text = switch (this) {
				case JSON -> "{\"a\":\"" + amount + "\",\"pad\":\"" + PAD + "\"}";
				case TEXT -> "amount " + amount + PAD;
				case FORM_FIELDS -> "a=" + amount + "&b=x&b=y&pad=" + PAD;
				case FILE -> new String(new Multipart("b").field("a", "1")
					.file("file", "f", "text/plain", ("PAY " + amount).getBytes())
					.body(), StandardCharsets.UTF_8);
			};
			return text.getBytes(StandardCharsets.UTF_8);
		}

	}

	/**
	 * The handlers of both.
	 */
	abstract static class Twins extends Readers {

		@PostMapping("/taken")
		String taken(@RequestAttribute String taken) {
			return taken;
		}

		@PostMapping("/nothing")
		String nothing() {
			return "nothing";
		}

		@PostMapping("/owner")
		String owner(@RequestParam @Nullable String owner) {
			return String.valueOf(owner);
		}

		@PutMapping("/put")
		String put(@RequestParam String a) {
			return a;
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
				Filter filter = (name != null) ? Around.valueOf(name).filter() : null;
				if (filter != null) {
					filter.doFilter(request, response, chain);
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

	@RestController
	@Idempotent(mode = Mode.LEASED)
	@RequestMapping("/leased")
	static class Leased extends Twins {

	}

}
