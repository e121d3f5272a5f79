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
package dev.idempotency.autoconfigure.guard;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

import dev.idempotency.Idempotent;
import dev.idempotency.autoconfigure.TestContexts;
import dev.idempotency.exception.InvalidIdempotentException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Annotated methods that cannot be protected, and keys that make no sense.
 */
class UnenforcedMethodTests {

	private final WebApplicationContextRunner web = TestContexts.web();

	static Stream<Arguments> endpoints() {
		return Stream.of(
				Arguments.of(Reading.class, "Reading#read has no effect: it handles GET /read",
						"map the method to POST, PUT, PATCH or DELETE"),
				Arguments.of(ReadingWithKey.class, "ReadingWithKey#read has no effect: it handles GET|HEAD /read",
						"map the method to POST, PUT, PATCH or DELETE"),
				Arguments.of(OnlyReading.class, "none of its methods is an operation with effects",
						"move it to the methods"),
				Arguments.of(StaticMethod.class, "final, private or static", "Remove the modifier"),
				Arguments.of(PrivateMethod.class, "final, private or static", "Remove the modifier"),
				Arguments.of(FinalClass.class, "FinalClass is final, and cannot be proxied",
						"neither final nor sealed"),
				Arguments.of(RecordClass.class, "RecordClass is a record, and cannot be proxied", "not a record"),
				Arguments.of(UnknownVariable.class, "has the variable #nope, which is not a parameter",
						"Write one of its parameters: #id"),
				Arguments.of(Route.class, "a handler of functional routes", "a method of a @RestController"),
				Arguments.of(RouteWithKey.class, "a handler of functional routes", "a method of a @RestController"));
	}

	@ParameterizedTest
	@MethodSource("endpoints")
	void isRefusedAtStartUpWithWhatToWriteInstead(Class<?> bean, String subject, String action) {
		this.web
			.withInitializer((context) -> ((org.springframework.beans.factory.support.BeanDefinitionRegistry) context)
				.registerBeanDefinition("bean", new org.springframework.beans.factory.support.RootBeanDefinition(bean)))
			.run((context) -> {
				assertThat(context).hasFailed();
				Throwable failure = context.getStartupFailure();
				while (!(failure instanceof InvalidIdempotentException) && failure.getCause() != null) {
					failure = failure.getCause();
				}
				assertThat(failure).isInstanceOf(InvalidIdempotentException.class)
					.hasMessageContaining(subject)
					.hasMessageContaining(action);
			});
	}

	@Test
	void theUnknownVariableOfAnyBeanIsFound() {
		assertThatExceptionOfType(InvalidIdempotentException.class).isThrownBy(() -> {
			throw rootOf(WrongVariable.class);
		}).withMessageContaining("WrongVariable#pay has the variable #nope").withMessageContaining("#id, #amounts");
	}

	@Test
	void theVariablesOfSpelItselfAreKnown() {
		TestContexts.withoutDatabase()
			.withBean(RightVariables.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	private static Throwable rootOf(Class<?> bean) {
		List<Throwable> failures = new java.util.ArrayList<>();
		TestContexts.withoutDatabase().withBean(bean).run((context) -> failures.add(context.getStartupFailure()));
		return failures.get(0);
	}

	@RestController
	static class Reading {

		@Idempotent
		@GetMapping("/read")
		String read() {
			return "";
		}

	}

	@RestController
	static class ReadingWithKey {

		@Idempotent(key = "#p0")
		@RequestMapping(path = "/read", method = { RequestMethod.GET, RequestMethod.HEAD })
		String read(String id) {
			return "";
		}

	}

	@Idempotent
	@RestController
	static class OnlyReading {

		@GetMapping("/read")
		String read() {
			return "";
		}

	}

	@RestController
	static class StaticMethod {

		@Idempotent
		@PostMapping("/static")
		static String run() {
			return "";
		}

	}

	@RestController
	static class PrivateMethod {

		@Idempotent
		@PostMapping("/private")
		private String run() {
			return "";
		}

	}

	@RestController
	static final class FinalClass {

		@Idempotent
		@PostMapping("/final")
		String run() {
			return "";
		}

	}

	@RestController
	record RecordClass() {

		@Idempotent
		@PostMapping("/record")
		public String run() {
			return "";
		}

	}

	@RestController
	static class UnknownVariable {

		@Idempotent(key = "#nope.id()")
		@PostMapping("/unknown")
		String run(String id) {
			return "";
		}

	}

	static class Route {

		@Idempotent
		ServerResponse pay(ServerRequest request) {
			return ServerResponse.ok().build();
		}

	}

	static class RouteWithKey {

		@Idempotent(key = "#request.path()")
		ServerResponse pay(ServerRequest request) {
			return ServerResponse.ok().build();
		}

	}

	static class WrongVariable {

		@Idempotent(key = "#id + #nope.name")
		String pay(String id, List<Long> amounts) {
			return id;
		}

	}

	static class RightVariables {

		@Idempotent(key = "#id + #a0 + #p1.?[#this > 0].size() + #root")
		String pay(String id, List<Long> amounts) {
			return id;
		}

	}

}
