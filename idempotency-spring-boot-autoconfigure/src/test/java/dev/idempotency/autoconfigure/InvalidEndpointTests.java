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
package dev.idempotency.autoconfigure;

import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Required;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.phase.Phases;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Annotated controller methods that cannot be protected.
 */
class InvalidEndpointTests {

	private final WebApplicationContextRunner contextRunner = new WebApplicationContextRunner()
		.withConfiguration(TestContexts.LIBRARY)
		.withConfiguration(
				AutoConfigurations.of(JacksonAutoConfiguration.class, HttpMessageConvertersAutoConfiguration.class,
						DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class))
		.withUserConfiguration(TestContexts.OwnStore.class);

	static Stream<Arguments> mistakes() {
		return Stream.of(Arguments.of(FinalMethod.class, "final, private or static", "Remove the modifier"),
				Arguments.of(Events.class, "returns SseEmitter, a stream", "Return a value"),
				Arguments.of(Download.class, "returns StreamingResponseBody, a stream", "Return a value"),
				Arguments.of(Asynchronous.class, "returns CompletableFuture, whose work runs outside",
						"Return the value itself"),
				Arguments.of(PhasesInOneTransaction.class, "has the mode TRANSACTIONAL and a parameter Phases",
						"Remove one of them"),
				Arguments.of(TransactionAroundPhases.class, "is @Transactional and has a parameter Phases",
						"Remove @Transactional"),
				Arguments.of(OwnTransaction.class, "outside the transaction that holds its response",
						"Give @Transactional the propagation REQUIRED"),
				Arguments.of(NoTransaction.class, "outside the transaction that holds its response",
						"mode = Mode.LEASED"),
				Arguments.of(OwnIsolation.class, "has an isolation level, and joins the transaction of its response",
						"Remove the isolation level"),
				Arguments.of(OwnIsolationUnderALease.class, "has an isolation level, and joins the transaction",
						"on the service"),
				Arguments.of(OwnTimeout.class, "has a timeout, and joins the transaction of its response",
						"spring.transaction.default-timeout"),
				Arguments.of(OwnTimeoutByProperty.class, "has a timeout, and joins the transaction of its response",
						"Remove the timeout"),
				Arguments.of(ReadOnly.class, "is read-only, and joins the transaction that stores its response",
						"write @Transactional on the method"),
				Arguments.of(ReadOnlyUnderALease.class, "is read-only, and joins the transaction",
						"Remove readOnly = true"),
				Arguments.of(NewTransactionAroundPhases.class, "is @Transactional and has a parameter Phases",
						"Remove @Transactional"),
				Arguments.of(NoTransactionAroundPhases.class, "is @Transactional and has a parameter Phases",
						"Remove @Transactional"),
				Arguments.of(PhasesWithoutKey.class, "its key is optional", "required = Required.TRUE"),
				Arguments.of(PhasesElsewhere.class, "answers on another thread", "Return the value itself"),
				Arguments.of(NoExpression.class, "does not parse", "Write a SpEL expression"));
	}

	@ParameterizedTest
	@MethodSource("mistakes")
	void isRefusedAtStartUpWithWhatToWriteInstead(Class<?> controller, String subject, String action) {
		this.contextRunner.withPropertyValues("handler.timeout=5").withBean(controller).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(context.getStartupFailure()).isInstanceOfSatisfying(InvalidIdempotentException.class,
					(failure) -> {
						assertThat(failure.getSubject()).startsWith(failure.getSubject().startsWith("The key")
								? "The key of @Idempotent on " : "@Idempotent on ")
							.contains(controller.getSimpleName(), subject);
						assertThat(failure.getAction()).contains(action);
					});
		});
	}

	@Test
	void aTransactionIsDescribedByPropertiesToo() {
		this.contextRunner.withPropertyValues("handler.manager=transactionManager", "handler.none=-1")
			.withBean(Configured.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@RestController
	static class FinalMethod {

		@Idempotent
		@PostMapping("/final")
		final String run() {
			return "";
		}

	}

	@RestController
	static class Events {

		@Idempotent
		@PostMapping("/events")
		SseEmitter run() {
			return new SseEmitter();
		}

	}

	@RestController
	static class Download {

		@Idempotent
		@PostMapping("/download")
		StreamingResponseBody run() {
			return (out) -> {
			};
		}

	}

	@RestController
	static class PhasesInOneTransaction {

		@Idempotent(mode = Mode.TRANSACTIONAL)
		@PostMapping("/phases")
		String run(Phases phases) {
			return "";
		}

	}

	@RestController
	static class TransactionAroundPhases {

		@Transactional
		@Idempotent
		@PostMapping("/phases")
		public String run(Phases phases) {
			return "";
		}

	}

	@RestController
	static class NewTransactionAroundPhases {

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		@Idempotent
		@PostMapping("/phases")
		public String run(Phases phases) {
			return "";
		}

	}

	@RestController
	static class OwnTransaction {

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		@Idempotent
		@PostMapping("/own")
		public String run() {
			return "";
		}

	}

	@RestController
	@Transactional
	static class NoTransaction {

		@Transactional(propagation = Propagation.NOT_SUPPORTED)
		@Idempotent
		@PostMapping("/none")
		public String run() {
			return "";
		}

	}

	@RestController
	static class OwnIsolation {

		@Transactional(isolation = Isolation.SERIALIZABLE)
		@Idempotent
		@PostMapping("/isolated")
		public String run() {
			return "";
		}

	}

	@RestController
	static class OwnIsolationUnderALease {

		@Transactional(isolation = Isolation.SERIALIZABLE)
		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/isolated")
		public String run() {
			return "";
		}

	}

	@RestController
	static class OwnTimeoutByProperty {

		@Transactional(timeoutString = "${handler.timeout}")
		@Idempotent
		@PostMapping("/own-timeout")
		public String run() {
			return "";
		}

	}

	@RestController
	static class Configured {

		@Transactional(transactionManager = "${handler.manager}", timeoutString = "${handler.none}")
		@Idempotent
		@PostMapping("/configured")
		public String run() {
			return "";
		}

	}

	@RestController
	@Transactional(readOnly = true)
	static class ReadOnly {

		@Idempotent
		@PostMapping("/read-only")
		public String run() {
			return "";
		}

	}

	@RestController
	static class ReadOnlyUnderALease {

		@Transactional(readOnly = true)
		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/read-only")
		public String run() {
			return "";
		}

	}

	@RestController
	static class OwnTimeout {

		@Transactional(timeout = 5)
		@Idempotent
		@PostMapping("/limited")
		public String run() {
			return "";
		}

	}

	@RestController
	static class NoTransactionAroundPhases {

		@Transactional(propagation = Propagation.NOT_SUPPORTED)
		@Idempotent
		@PostMapping("/phases")
		public String run(Phases phases) {
			return "";
		}

	}

	@RestController
	static class PhasesWithoutKey {

		@Idempotent(required = Required.FALSE)
		@PostMapping("/phases")
		String run(Phases phases) {
			return "";
		}

	}

	@RestController
	static class PhasesElsewhere {

		@Idempotent
		@PostMapping("/phases")
		CompletableFuture<String> run(Phases phases) {
			return new CompletableFuture<>();
		}

	}

	@RestController
	static class Asynchronous {

		@Idempotent(mode = Mode.TRANSACTIONAL)
		@PostMapping("/asynchronous")
		CompletableFuture<String> run() {
			return new CompletableFuture<>();
		}

	}

	@RestController
	static class NoExpression {

		@Idempotent(key = "#key.(")
		@PostMapping("/expression")
		String run() {
			return "";
		}

	}

}
