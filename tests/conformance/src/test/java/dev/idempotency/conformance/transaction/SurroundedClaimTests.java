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
package dev.idempotency.conformance.transaction;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.Leftovers;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Responses.assertOriginal;
import static dev.idempotency.conformance.app.Responses.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

/**
 * Requests that come to the claim in a transaction, or on a thread, of somebody else.
 */
@Tag("postgresql")
@ExtendWith(OutputCaptureExtension.class)
class SurroundedClaimTests {

	private static RunningApplication application;

	private final String label = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		application = RunningApplication.start(List.of(SurroundedHandlers.class, SurroundingAdvice.class),
				"server.tomcat.threads.max=3", "spring.datasource.hikari.maximum-pool-size=5",
				"spring.datasource.hikari.connection-timeout=3000", "spring.web.error.include-message=always");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	private HttpResponse<byte[]> post(String path) {
		return application.post(ALICE, path, this.label, Labelled.json(this.label));
	}

	@ParameterizedTest
	@ValueSource(strings = { "/filter/transactional", "/filter/leased", "/filter/phased", "/interceptor/transactional",
			"/interceptor/leased", "/interceptor/phased", "/advised/transactional", "/advised/leased",
			"/advised/phased" })
	@Tag("X26")
	void aClaimInsideAnOpenTransactionIsRefusedAndNothingIsCommitted(String path) {
		long records = application.records();
		for (int i = 0; i < 2; i++) {
			assertOriginal(post(path), 500);
		}
		assertThat(application.effects(this.label)).as("of the handler").isZero();
		assertThat(application.effects("around")).as("of what is around").isZero();
		assertThat(application.records()).isEqualTo(records);
		Leftovers.assertNone(application);
		Leftovers.assertAcknowledgedIsCommitted(application, 12, "/plain", "/protected");
	}

	@ParameterizedTest
	@ValueSource(classes = { SurroundingAdvice.class, AdapterInFront.class })
	@Tag("X30")
	void aHandlerMappingWithoutInterceptorsRunsNothingUnprotected(Class<?> more) {
		try (RunningApplication other = RunningApplication.start(
				List.of(SurroundedHandlers.class, SurroundingAdvice.class, BareMapping.class, more),
				"spring.web.error.include-message=always")) {
			HttpResponse<byte[]> answer = other.post(ALICE, "/protected", this.label, Labelled.json(this.label));
			assertOriginal(answer, 500);
			assertThat(text(answer)).contains("@Idempotent on", "has no interceptors");
			assertThat(other.effects(this.label)).isZero();
		}
	}

	@Test
	@Tag("X30")
	void aHandlerAdapterInFrontOfThatOfTheLibraryRunsNothingUnprotected() {
		try (RunningApplication other = RunningApplication.start(
				List.of(SurroundedHandlers.class, SurroundingAdvice.class, AdapterInFront.class),
				"spring.web.error.include-message=always")) {
			for (int i = 0; i < 2; i++) {
				HttpResponse<byte[]> answer = other.post(ALICE, "/protected", this.label, Labelled.json(this.label));
				assertOriginal(answer, 500);
				assertThat(text(answer)).contains("@Idempotent on", "handler adapter");
			}
			assertThat(other.effects(this.label)).isZero();
		}
	}

	@Test
	@Tag("X26")
	void theRefusalSaysWhatToWrite() {
		assertThat(text(post("/advised/transactional"))).contains("@Idempotent on", "#transactional", "TRANSACTIONAL",
				"transaction was open");
	}

	/**
	 * The status is on the wire, so that the client sees a broken response at best.
	 */
	@Test
	@Tag("X18")
	void aResponseThatWasSentBeforeTheCommitIsNotCommitted(CapturedOutput output) {
		long records = application.records();
		assertThatException().isThrownBy(() -> post("/flushed"));
		assertThat(output.getOut().lines()).anySatisfy((line) -> assertThat(line).contains("[IDEM-1311]", "#flushed"));
		assertThat(application.effects(this.label)).isZero();
		assertThat(application.records()).isEqualTo(records);
		Leftovers.assertNone(application);
	}

	@Test
	@Tag("X18")
	void aHandlerThatIsCalledOnAnotherThreadIsRefusedBeforeItRuns() {
		for (int i = 0; i < 2; i++) {
			HttpResponse<byte[]> refused = post("/elsewhere");
			assertOriginal(refused, 500);
			assertThat(text(refused)).contains("@Idempotent on", "#elsewhere", "thread");
		}
		assertThat(application.effects(this.label)).isZero();
		Leftovers.assertNone(application);
	}

	@Test
	void anAsyncHandlerIsRefusedAtStartUp() {
		assertThatThrownBy(() -> RunningApplication.start(AsyncHandler.class))
			.hasStackTraceContaining("@Idempotent on AsyncHandler#run is @Async")
			.hasStackTraceContaining("CompletableFuture");
	}

	/**
	 * The claim cannot know whether the caller works for a request.
	 */
	@Test
	void aHandlerThatIsCalledWithoutItsRequestIsReportedOnce(CapturedOutput output) {
		for (int i = 0; i < 2; i++) {
			assertOriginal(post("/detached"), 200);
		}
		assertThat(output.getOut().lines().filter((line) -> line.contains("[IDEM-1315]"))).singleElement(STRING)
			.contains("#detached");
	}

	@EnableAsync
	@RestController
	static class AsyncHandler {

		@Async
		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/async")
		public CompletableFuture<String> run() {
			return CompletableFuture.completedFuture("done");
		}

	}

	/**
	 * A mapping of the application's, which Spring MVC has not set up.
	 */
	@Configuration(proxyBeanMethods = false)
	static class BareMapping {

		@Bean
		RequestMappingHandlerMapping bareMapping() {
			RequestMappingHandlerMapping mapping = new RequestMappingHandlerMapping();
			mapping.setOrder(Ordered.HIGHEST_PRECEDENCE);
			return mapping;
		}

	}

	/**
	 * An adapter of the application's, which runs all handlers.
	 */
	@Configuration(proxyBeanMethods = false)
	static class AdapterInFront {

		@Bean
		RequestMappingHandlerAdapter adapterInFront(
				@Qualifier("requestMappingHandlerAdapter") RequestMappingHandlerAdapter standard) {
			RequestMappingHandlerAdapter adapter = new RequestMappingHandlerAdapter();
			adapter.setOrder(Ordered.HIGHEST_PRECEDENCE);
			adapter.setMessageConverters(standard.getMessageConverters());
			return adapter;
		}

	}

}
