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
import java.net.http.HttpResponse;
import java.util.List;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
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
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A filter that reads the body and leaves nothing of it: requests with different bodies
 * would be the same.
 */
@Tag("F1")
@ExtendWith(OutputCaptureExtension.class)
class ConsumedBodyTests {

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(List.of(Orders.class, Consuming.class));
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { MediaType.APPLICATION_JSON_VALUE, MediaType.APPLICATION_FORM_URLENCODED_VALUE,
			MediaType.TEXT_PLAIN_VALUE })
	void aRequestWhoseBodyIsGoneIsRefused(String type, CapturedOutput output) {
		assertOriginal(order(type, "first"), 500);
		assertOriginal(order(type, "other"), 500);
		assertThat(output).contains("IDEM-1311", "got a request whose body a filter has consumed");
		assertThat(application.effects("first")).isZero();
	}

	@Test
	void aRequestWithoutABodyIsNot() {
		HttpResponse<byte[]> first = order(MediaType.APPLICATION_JSON_VALUE, "");
		assertOriginal(first, 200);
		assertReplay(order(MediaType.APPLICATION_JSON_VALUE, ""), first);
	}

	private static HttpResponse<byte[]> order(String type, String body) {
		return application.send(application.json(ALICE, "/orders", body)
			.setHeader("Content-Type", type)
			.header("Idempotency-Key", "key-" + type));
	}

	/**
	 * A filter that parses the body for the handler.
	 */
	static class Consuming extends OncePerRequestFilter {

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws ServletException, IOException {
			request.setAttribute("order", new String(request.getInputStream().readAllBytes()));
			chain.doFilter(request, response);
		}

	}

	@RestController
	static class Orders {

		private final Effects effects;

		Orders(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping("/orders")
		String order(@RequestAttribute String order) {
			return this.effects.record(order).getLabel();
		}

	}

}
