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
package dev.idempotency.test.check;

import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;

import dev.idempotency.Idempotent;
import dev.idempotency.aop.AnnotatedType;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.test.app.DatabaseTest;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestContextManager;
import org.springframework.test.context.TestPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Calls past the proxy: in an application that is tested, and in the class files of
 * compiled classes.
 */
class SelfInvocationCheckTests {

	@Test
	void anApplicationWithACallOnThisDoesNotStart() {
		assertThatIllegalStateException().isThrownBy(() -> start(TestOfImports.class))
			.havingRootCause()
			.asInstanceOf(InstanceOfAssertFactories.throwable(InvalidIdempotentException.class))
			.hasMessageContaining("Imports#importAll calls Imports#pay on this, past the proxy that protects it")
			.hasMessageContaining("annotate the caller")
			.hasMessageContaining("idempotency.test.check-self-invocation=false");
	}

	@Test
	void itStartsWhereTheTestSwitchesTheCheckOff() {
		assertThat(start(TestWithoutTheCheck.class).getBean(Imports.class)).isNotNull();
	}

	@Test
	void anApplicationWithoutSuchCallsStarts() {
		ApplicationContext context = start(TestOfPayments.class);
		assertThat(context.getBean(Payments.class)).isNotNull();
		assertThat(context.getBean(SelfInvocationCheck.class)).isNotNull();
	}

	@Test
	void callsOnThisAreFoundWhereverTheyAre() {
		assertThat(found(Calling.class)).containsExactly("afterBranches > pay", "afterCatch > pay", "inLambda > pay",
				"inLoop > pay", "inSupplier > pay", "inSwitch > pay", "nested > pay", "plain > pay", "reference > pay",
				"throughPrivate > pay", "withExpression > pay");
	}

	@Test
	void callsUnderProtectionAreNone() {
		assertThat(found(Silent.class)).isEmpty();
	}

	@Test
	void aClassThatKnowsAnotherObjectOfItsTypeHasNone() {
		assertThat(found(Known.class)).isEmpty();
		assertThat(found(Provided.class)).isEmpty();
	}

	@Test
	void aCallByASuperclassIsFoundWhereTheAnnotatedMethodIsInherited() {
		assertThat(found(Inheriting.class)).containsExactly("template > pay");
	}

	@Test
	void aClassWithoutTheAnnotationHasNone() {
		assertThat(found(SelfInvocationCheckTests.class)).isEmpty();
	}

	private static List<String> found(Class<?> type) {
		return SelfInvocationCheck.unprotected(AnnotatedType.of(type))
			.stream()
			.map((call) -> call.caller().source() + " > " + call.callee().name())
			.sorted()
			.toList();
	}

	/**
	 * Starts the application of a test as JUnit does.
	 */
	private static ApplicationContext start(Class<?> testClass) {
		return new TestContextManager(testClass).getTestContext().getApplicationContext();
	}

	@DatabaseTest
	@Import(Imports.class)
	static class TestOfImports {

	}

	@DatabaseTest
	@Import(Imports.class)
	@TestPropertySource(properties = "idempotency.test.check-self-invocation=false")
	static class TestWithoutTheCheck {

	}

	@DatabaseTest
	@Import(Payments.class)
	static class TestOfPayments {

	}

	static class Imports {

		public void importAll(Iterable<String> ids) {
			ids.forEach(this::pay);
		}

		@Idempotent(key = "#id")
		public void pay(String id) {
		}

	}

	static class Payments {

		@Idempotent(key = "#id")
		public void pay(String id) {
			transfer(id);
		}

		public void transfer(String id) {
		}

	}

	static class Calling {

		@Idempotent(key = "#id")
		public String pay(String id, long amount) {
			return id + amount;
		}

		String plain(String id) {
			return pay(id, 1);
		}

		String withExpression(String id, int[] amounts, double rate) {
			return pay((id != null && !id.isEmpty()) ? id : String.valueOf(amounts[0]),
					(long) (amounts[amounts.length - 1] * rate) << 2);
		}

		String afterBranches(String id, long amount) {
			long sum = (amount > 1 && id != null) ? amount : -amount;
			for (int i = 0; i < 3; i++) {
				sum += i;
			}
			return this.pay(id, sum);
		}

		void inLoop(List<String> ids) {
			for (String id : ids) {
				pay(id, ids.size());
			}
		}

		String inSwitch(String id) {
			return switch (id) {
				case "a" -> "none";
				case "b" -> pay(id, 2);
				default -> throw new IllegalArgumentException(id);
			};
		}

		String afterCatch(String id) {
			long amount;
			try {
				amount = Long.parseLong(id);
			}
			catch (NumberFormatException ex) {
				amount = ex.hashCode();
			}
			return pay(id, amount);
		}

		Stream<String> inLambda(List<String> ids) {
			return ids.stream().map((id) -> pay(id, 1));
		}

		Stream<String> nested(List<List<String>> all) {
			return all.stream().flatMap((ids) -> ids.stream().map((id) -> pay(id, 1)));
		}

		BiFunction<String, Long, String> reference() {
			return this::pay;
		}

		String inSupplier(String id) {
			Supplier<String> supplier = () -> Calling.this.pay(id, 1);
			return supplier.get();
		}

		String entry(String id) {
			return throughPrivate(id);
		}

		private String throughPrivate(String id) {
			return pay(id, 3);
		}

	}

	static class Silent {

		@Idempotent(key = "#id")
		public String pay(String id, long amount) {
			return other(id);
		}

		@Idempotent(key = "#id")
		public String payAll(String id, List<String> ids) {
			ids.forEach((one) -> pay(one, 1));
			return helper(id) + this.pay(id, 1);
		}

		private String helper(String id) {
			return pay(id, 1);
		}

		String other(String id) {
			return id;
		}

	}

	static class Known {

		@Idempotent(key = "#id")
		public String pay(String id) {
			return id;
		}

		String byArgument(Known another, String id) {
			return another.pay(id);
		}

	}

	static class Provided {

		private final ObjectProvider<Provided> self;

		Provided(ObjectProvider<Provided> self) {
			this.self = self;
		}

		@Idempotent(key = "#id")
		public String pay(String id) {
			return id;
		}

		String byProxy(String id) {
			return this.self.getObject().pay(id);
		}

	}

	static class Base {

		String template() {
			return pay("id");
		}

		@Idempotent(key = "#id")
		public String pay(String id) {
			return id;
		}

	}

	static class Inheriting extends Base {

	}

}
