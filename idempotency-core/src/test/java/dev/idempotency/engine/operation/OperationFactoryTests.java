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
package dev.idempotency.engine.operation;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.core.annotation.AnnotatedElementUtils;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Replay;
import dev.idempotency.Idempotent.Required;
import dev.idempotency.Idempotent.Scope;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.exception.InvalidIdempotentException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Attributes, defaults and placeholders. Mistakes are in the tests of what is printed for
 * them.
 */
class OperationFactoryTests {

	private final OperationFactory factory = new OperationFactory(
			new OperationFactory.Defaults(Scope.ENDPOINT, Mode.LEASED, false, Duration.ofHours(5)),
			(text) -> text.replace("${ttl}", " 72h ").replace("${resource}", "payments").replace("${empty}", ""),
			(manager) -> true);

	@Test
	void whatTheAnnotationLeavesAloneIsTheDefault() {
		assertThat(create("plain")).isEqualTo(new IdempotentOperation("plain", null, Scope.ENDPOINT, "",
				Duration.ofHours(5), false, Mode.LEASED, Replay.FULL));
	}

	@Test
	void whatTheAnnotationSaysWins() {
		assertThat(create("complete")).isEqualTo(new IdempotentOperation("complete", "#key", Scope.ACCOUNT, "",
				Duration.ofMinutes(30), true, Mode.TRANSACTIONAL, Replay.NONE));
	}

	@Test
	void placeholdersAreResolvedAndTrimmed() {
		assertThat(create("placeholders")).isEqualTo(new IdempotentOperation("placeholders", null, Scope.RESOURCE,
				"payments", Duration.ofHours(72), false, Mode.LEASED, Replay.FULL));
	}

	@Test
	void theNamesOfAllOperationsAreKnown() {
		create("plain");
		create("complete");
		create("plain");
		assertThat(this.factory.all()).extracting(IdempotentOperation::name)
			.containsExactlyInAnyOrder("plain", "complete");
	}

	@Test
	@Tag("M1")
	void idIsTheNameAndResolvesPlaceholders() {
		assertThat(create("named").name()).isEqualTo("invoice.payments");
	}

	@Test
	@Tag("M1")
	void nameHasNoParameterTypes() {
		assertThat(AnnotatedMethod.of(Overloaded.class.getDeclaredMethods()[0], Overloaded.class).name())
			.isEqualTo(Overloaded.class.getName() + "#pay");
	}

	@Test
	@Tag("M1")
	void overloadsWithoutIdsAreRefused() {
		Method[] overloads = Overloaded.class.getDeclaredMethods();
		create(overloads[0]);
		create(overloads[0]);
		assertThatExceptionOfType(InvalidIdempotentException.class).isThrownBy(() -> create(overloads[1]))
			.withMessageContaining("on two methods with the name 'pay'")
			.satisfies((failure) -> assertThat(failure.getAction()).contains("@Idempotent(id = "));
	}

	private IdempotentOperation create(String name) {
		Method method = Arrays.stream(Annotated.class.getDeclaredMethods())
			.filter((candidate) -> candidate.getName().equals(name))
			.findFirst()
			.orElseThrow();
		return create(method);
	}

	private IdempotentOperation create(Method method) {
		return this.factory.create(
				AnnotatedMethod.of(method, Annotated.class).withName(method.getName(), method.getName()),
				AnnotatedElementUtils.findMergedAnnotation(method, Idempotent.class));
	}

	interface Annotated {

		@Idempotent
		void plain();

		@Idempotent(key = "#key", scope = Scope.ACCOUNT, ttl = "PT30M", required = Required.TRUE,
				mode = Mode.TRANSACTIONAL, replay = Replay.NONE)
		void complete();

		@Idempotent(id = "invoice.${resource}")
		void named();

		@Idempotent(key = "${empty}", scope = Scope.RESOURCE, resource = "${resource}", ttl = "${ttl}")
		void placeholders();

	}

	interface Overloaded {

		@Idempotent
		void pay(String id);

		@Idempotent
		void pay(String id, long cents);

	}

}
