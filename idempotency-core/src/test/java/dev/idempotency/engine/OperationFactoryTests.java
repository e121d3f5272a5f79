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
package dev.idempotency.engine;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionAttribute;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Replay;
import dev.idempotency.Idempotent.Required;
import dev.idempotency.Idempotent.Scope;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.engine.OperationFactory.AnnotatedMethod;
import dev.idempotency.exception.InvalidIdempotentException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Attributes, defaults and placeholders. Mistakes are in the tests of what is printed for
 * them.
 */
class OperationFactoryTests {

	private static final OperationFactory.Defaults DEFAULTS = new OperationFactory.Defaults(Scope.ENDPOINT, Mode.LEASED,
			false, Duration.ofHours(5), Duration.ofHours(1));

	private final OperationFactory factory = new OperationFactory(DEFAULTS,
			(text) -> text.replace("${ttl}", " 72h ")
				.replace("${resource}", "payments")
				.replace("${empty}", "")
				.replace("${timeout}", "30"),
			(manager) -> manager.isEmpty() || manager.equals("business"));

	@Test
	void whatTheAnnotationLeavesAloneIsTheDefault() {
		assertThat(create("plain")).isEqualTo(new IdempotentOperation("plain", null, Scope.ENDPOINT, "",
				Duration.ofHours(5), Duration.ofHours(1), false, Mode.LEASED, Replay.FULL));
	}

	@Test
	void whatTheAnnotationSaysWins() {
		assertThat(create("complete")).isEqualTo(new IdempotentOperation("complete", "#key", Scope.ACCOUNT, "",
				Duration.ofMinutes(30), Duration.ofMinutes(30), true, Mode.TRANSACTIONAL, Replay.NONE));
	}

	@Test
	void placeholdersAreResolvedAndTrimmed() {
		assertThat(create("placeholders")).isEqualTo(new IdempotentOperation("placeholders", null, Scope.RESOURCE,
				"payments", Duration.ofHours(72), Duration.ofHours(1), false, Mode.LEASED, Replay.FULL));
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

	@Test
	void anOperationIsFoundByItsName() {
		IdempotentOperation plain = create("plain");
		assertThat(this.factory.find("plain")).contains(plain);
		assertThat(this.factory.find("unknown")).isEmpty();
	}

	@Test
	void theTimeToLiveIsAtMostTenYears() {
		assertThat(create("decade").ttl()).isEqualTo(Duration.ofDays(3650));
		assertThatExceptionOfType(InvalidIdempotentException.class).isThrownBy(() -> create("tooLong"))
			.withMessageContaining("3651d");
	}

	@Test
	void keysOfAListenerAreItsOwnAndItsTransactionIsOne() throws NoSuchMethodException {
		Method method = Annotated.class.getDeclaredMethod("plain");
		IdempotentOperation listener = this.factory.createListener(AnnotatedMethod.of(method, Annotated.class),
				method.getAnnotation(Idempotent.class), Duration.ofDays(7));
		assertThat(listener.scope()).isEqualTo(Scope.ENDPOINT);
		assertThat(listener.mode()).isEqualTo(Mode.TRANSACTIONAL);
		assertThat(listener.required()).isFalse();
		assertThat(listener.ttl()).isEqualTo(Duration.ofDays(7));
	}

	@Test
	void theTransactionOfAMethodHasItsPlaceholdersResolved() throws NoSuchMethodException {
		assertThat(transaction("named")).isNotNull()
			.satisfies((transaction) -> assertThat(transaction.getTimeout()).isEqualTo(30));
		assertThat(transaction("plain")).isNull();
	}

	private TransactionAttribute transaction(String name) throws NoSuchMethodException {
		return this.factory.transaction(Transactions.class.getDeclaredMethod(name), Transactions.class);
	}

	@Test
	void aTransactionManagerThatDoesNotStoreTheAnswerIsRefused() throws NoSuchMethodException {
		this.factory.requireBusinessManager(transaction("named"), "Transactions#named");
		this.factory.requireBusinessManager(transaction("unnamed"), "Transactions#unnamed");
		assertThatExceptionOfType(InvalidIdempotentException.class)
			.isThrownBy(() -> this.factory.requireBusinessManager(transaction("other"), "Transactions#other"))
			.withMessageContaining("has the transaction manager 'other'")
			.satisfies((refused) -> assertThat(refused.getAction())
				.startsWith("Set idempotency.transaction-manager=other"));
		OperationFactory elsewhere = new OperationFactory(DEFAULTS, (text) -> text, "business"::equals);
		assertThatExceptionOfType(InvalidIdempotentException.class)
			.isThrownBy(() -> elsewhere.requireBusinessManager(transaction("unnamed"), "Transactions#unnamed"))
			.withMessageContaining("has the default transaction manager")
			.satisfies((refused) -> assertThat(refused.getAction())
				.startsWith("Name the one of idempotency.transaction-manager"));
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

		@Idempotent(ttl = "3650d")
		void decade();

		@Idempotent(ttl = "3651d")
		void tooLong();

		@Idempotent(id = "invoice.${resource}")
		void named();

		@Idempotent(key = "${empty}", scope = Scope.RESOURCE, resource = "${resource}", ttl = "${ttl}")
		void placeholders();

	}

	interface Transactions {

		void plain();

		@Transactional
		void unnamed();

		@Transactional(transactionManager = "business", timeoutString = "${timeout}")
		void named();

		@Transactional("other")
		void other();

	}

	interface Overloaded {

		@Idempotent
		void pay(String id);

		@Idempotent
		void pay(String id, long cents);

	}

}
