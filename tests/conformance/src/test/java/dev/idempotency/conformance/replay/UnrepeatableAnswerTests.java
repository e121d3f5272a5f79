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
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.Leftovers;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Responses.assertOriginal;
import static dev.idempotency.conformance.app.Responses.assertProblem;
import static dev.idempotency.conformance.app.Responses.assertReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Answers that only the first client could get, or only one of the senders should.
 */
@Tag("postgresql")
@ExtendWith(OutputCaptureExtension.class)
class UnrepeatableAnswerTests {

	private static RunningApplication application;

	private final String label = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		application = RunningApplication.start(UnrepeatableAnswers.class);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	private HttpResponse<byte[]> post(String path, String... headers) {
		HttpRequest.Builder request = application.json(ALICE, path, Labelled.json(this.label))
			.header("Idempotency-Key", this.label);
		return application.send((headers.length > 0) ? request.headers(headers) : request);
	}

	@Test
	@Tag("R13")
	void aBodyThatCannotBeSentIsNotCommitted() {
		for (int i = 0; i < 2; i++) {
			assertOriginal(post("/stream", "X-Writer-Taken", "true"), 500);
			assertThat(application.effects(this.label)).isZero();
		}
		assertOriginal(post("/stream"), 200);
		Leftovers.assertNone(application);
	}

	@Test
	@Tag("R14")
	void aFileThatTomcatWouldSendIsRefusedBeforeTheCommit(CapturedOutput output) {
		for (int i = 0; i < 2; i++) {
			assertOriginal(post("/sendfile"), 500);
			assertThat(application.effects(this.label)).isZero();
		}
		assertThat(output).contains("IDEM-1311", "lets Tomcat send a file");
		Leftovers.assertNone(application);
	}

	@Test
	@Tag("R14")
	void aHandlerThatAsksForSendfileWritesTheBody() {
		HttpResponse<byte[]> first = post("/sendfile-if-supported");
		assertOriginal(first, 200);
		assertThat(first.body()).hasSize(60_000);
		assertReplay(post("/sendfile-if-supported"), first);
	}

	@Test
	@Tag("R15")
	void accessOfOneOriginIsNotReplayedToAnother() {
		HttpResponse<byte[]> first = post("/origin", "Origin", "https://one.example");
		assertOriginal(first, 200);
		assertThat(first.headers().firstValue("Access-Control-Allow-Origin")).contains("https://one.example");
		HttpResponse<byte[]> retry = post("/origin", "Origin", "https://two.example");
		assertReplay(retry, first);
		assertThat(retry.headers().map().keySet()).noneMatch((name) -> name.startsWith("access-control-"));
	}

	@Test
	@Tag("R1")
	void whatIsSetAfterTheCommitIsInNoAnswer() {
		HttpResponse<byte[]> first = post("/after-commit");
		HttpResponse<byte[]> retry = post("/after-commit");
		assertReplay(retry, first);
		for (HttpResponse<byte[]> response : List.of(first, retry)) {
			assertThat(response.headers().firstValue("X-Before")).contains("1");
			assertThat(response.headers().firstValue("X-After")).isEmpty();
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 406, 412, 416, 417, 428 })
	@Tag("X2")
	void aRefusalOfAHeaderIsNotTheAnswerToAnother(int status) {
		assertOriginal(post("/header", "X-Wrong", String.valueOf(status)), status);
		assertThat(application.effects(this.label)).isZero();
		HttpResponse<byte[]> second = post("/header");
		assertOriginal(second, 200);
		assertReplay(post("/header"), second);
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	@Test
	void aRowWithoutAStatusIsNotSent() {
		assertOriginal(post("/header"), 200);
		application.jdbc().update("update idempotency_record set status = 0");
		assertProblem(post("/header"), 409, "not-replayable");
	}

	@RestController
	static class UnrepeatableAnswers {

		private final Effects effects;

		private final Path file;

		UnrepeatableAnswers(Effects effects) throws IOException {
			this.effects = effects;
			this.file = Files.createTempFile("sendfile", ".bin");
			Files.write(this.file, new byte[60_000]);
			this.file.toFile().deleteOnExit();
		}

		/**
		 * Takes the writer of the response if the request asks for it.
		 */
		@Bean
		static FilterRegistrationBean<?> taking() {
			return new FilterRegistrationBean<>((request, response, chain) -> {
				if (((HttpServletRequest) request).getHeader("X-Writer-Taken") != null) {
					response.getWriter();
				}
				chain.doFilter(request, response);
			});
		}

		@Idempotent
		@PostMapping("/stream")
		void stream(@RequestBody Labelled body, HttpServletResponse response) throws IOException {
			this.effects.record(body.label());
			response.getOutputStream().write(new byte[] { 0, (byte) 0xff });
		}

		@Idempotent
		@PostMapping("/sendfile")
		void sendfile(@RequestBody Labelled body, HttpServletRequest request, HttpServletResponse response)
				throws IOException {
			this.effects.record(body.label());
			long size = Files.size(this.file);
			request.setAttribute("org.apache.tomcat.sendfile.filename", this.file.toString());
			request.setAttribute("org.apache.tomcat.sendfile.start", 0L);
			request.setAttribute("org.apache.tomcat.sendfile.end", size);
			response.setContentLengthLong(size);
		}

		@Idempotent
		@PostMapping("/sendfile-if-supported")
		void sendfileIfSupported(@RequestBody Labelled body, HttpServletRequest request, HttpServletResponse response)
				throws IOException {
			if (Boolean.TRUE.equals(request.getAttribute("org.apache.tomcat.sendfile.support"))) {
				sendfile(body, request, response);
			}
			else {
				Files.copy(this.file, response.getOutputStream());
			}
		}

		@Idempotent
		@PostMapping("/origin")
		ResponseEntity<String> origin(@RequestHeader String origin) {
			return ResponseEntity.ok()
				.header("Access-Control-Allow-Origin", origin)
				.header("Access-Control-Allow-Credentials", "true")
				.body("shared");
		}

		@Idempotent
		@PostMapping("/after-commit")
		String afterCommit(HttpServletResponse response) {
			response.setHeader("X-Before", "1");
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCommit() {
					response.setHeader("X-After", "1");
				}

			});
			return "committed";
		}

		@Idempotent
		@PostMapping("/header")
		ResponseEntity<String> header(@RequestBody Labelled body,
				@RequestHeader(name = "X-Wrong", defaultValue = "200") int wrong) {
			this.effects.record(body.label());
			return ResponseEntity.status(wrong).body("status " + wrong);
		}

	}

}
