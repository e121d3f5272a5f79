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
package dev.idempotency.aop;

import java.math.BigDecimal;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Collections;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.exception.MalformedKeyException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * A key is the text that the type of a value declares.
 */
class KeyExpressionTests {

	private final KeyExpression expression = new KeyExpression("#value", "Payments#pay");

	private String evaluate(Object value) {
		return this.expression.evaluate(Collections.singletonMap("value", value));
	}

	static Stream<Arguments> values() {
		return Stream.of(arguments(null, null), arguments("a@1f", "a@1f"), arguments(new StringBuilder("a"), "a"),
				arguments(5L, "5"), arguments(new BigDecimal("1.50"), "1.50"), arguments('x', "x"),
				arguments(true, "true"), arguments(new UUID(1, 2), new UUID(1, 2).toString()),
				arguments(Optional.empty(), null), arguments(Optional.of(5), "5"), arguments(new Id("a"), "a"),
				arguments(new Outer(new Id("a")), "a"), arguments(new Id(null), null),
				arguments(Optional.of(new Id("a")), "a"), arguments(Branch.NORTH, "NORTH"),
				arguments(DayOfWeek.MONDAY, "MONDAY"), arguments(LocalDate.EPOCH, "1970-01-01"),
				arguments(Instant.EPOCH, "1970-01-01T00:00:00Z"), arguments(Duration.ofDays(1), "PT24H"),
				arguments(new Unsigned("18446744073709551615"), "18446744073709551615"));
	}

	@ParameterizedTest
	@MethodSource("values")
	void aValueWhoseTypeDeclaresATextIsAKey(Object value, String key) {
		assertThat(evaluate(value)).isEqualTo(key);
	}

	static Stream<Object> others() {
		return Stream.of(new long[] { 1 }, List.of("a"), Set.of("a"), Map.of("a", 1), new Date(1), new Command("a"),
				new Pair("a", "b"), new Digest(new byte[] { 1 }), new Outer(List.of("a")), Stream.of("a"),
				Optional.of(new Command("a")), (Supplier<String>) () -> "a", new Unsigned("Unsigned[1]"));
	}

	@ParameterizedTest
	@MethodSource("others")
	void anyOtherValueIsRefused(Object value) {
		assertThatExceptionOfType(InvalidIdempotentException.class).isThrownBy(() -> evaluate(value))
			.withMessageContaining("Payments#pay")
			.withMessageContaining("#command.id()");
	}

	@Test
	void whatIsJoinedWithATextCountsAsItDoesAlone() {
		KeyExpression joined = new KeyExpression("'pay-' + #value", "Payments#pay");
		assertThat(joined.evaluate(Map.of("value", new Id("a")))).isEqualTo("pay-a");
		assertThat(joined.evaluate(Map.of("value", 5))).isEqualTo("pay-5");
		assertThat(joined.evaluate(Map.of("value", Branch.NORTH))).isEqualTo("pay-NORTH");
		assertThatExceptionOfType(InvalidIdempotentException.class)
			.isThrownBy(() -> joined.evaluate(Map.of("value", new Command("a"))));
	}

	@Test
	@Tag("S18")
	void textsThatAreTooLongToJoinAreAMalformedKey() {
		assertThatExceptionOfType(MalformedKeyException.class)
			.isThrownBy(() -> new KeyExpression("'pay-' + #value", "Payments#pay")
				.evaluate(Map.of("value", "a".repeat(500_000))));
	}

	record Id(String value) {
	}

	record Outer(Object value) {
	}

	record Pair(String first, String second) {
	}

	record Digest(byte[] value) {
	}

	enum Branch {

		NORTH;

		@Override
		public String toString() {
			return "in the north";
		}

	}

	/**
	 * A number of another library.
	 */
	static final class Unsigned extends Number {

		private static final long serialVersionUID = 1L;

		private final String text;

		Unsigned(String text) {
			this.text = text;
		}

		@Override
		public int intValue() {
			return 0;
		}

		@Override
		public long longValue() {
			return 0;
		}

		@Override
		public float floatValue() {
			return 0;
		}

		@Override
		public double doubleValue() {
			return 0;
		}

		@Override
		public String toString() {
			return this.text;
		}

	}

	static class Command {

		final String id;

		Command(String id) {
			this.id = id;
		}

	}

}
