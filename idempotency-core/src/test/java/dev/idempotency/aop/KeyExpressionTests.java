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

import java.time.Instant;
import java.util.Collections;
import java.util.Date;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import dev.idempotency.exception.InvalidIdempotentException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * A key is the text of a value, which has to be the same for an equal value on every
 * attempt and every node.
 */
class KeyExpressionTests {

	private final KeyExpression expression = new KeyExpression("#value", "Payments#pay");

	private String evaluate(Object value) {
		return this.expression.evaluate(Collections.singletonMap("value", value));
	}

	static Stream<Arguments> values() {
		return Stream.of(arguments(null, null), arguments("a@1f", "a@1f"), arguments(5L, "5"),
				arguments(new UUID(1, 2), new UUID(1, 2).toString()), arguments(Optional.empty(), null),
				arguments(Optional.of(5), "5"), arguments(new Id("a"), "Id[value=a]"),
				arguments(new Id("jane.doe@cafe.de"), "Id[value=jane.doe@cafe.de]"),
				arguments(List.of("a", 1), "[a, 1]"), arguments(new LinkedHashSet<>(List.of("b", "a")), "[a, b]"),
				arguments(new LinkedHashSet<>(List.of("a", "b")), "[a, b]"),
				arguments(new TreeMap<>(Map.of("b", 1, "a", 2)).descendingMap(), "{a=2, b=1}"),
				arguments(new Date(1), "1970-01-01T00:00:00.001Z"), arguments(Instant.EPOCH, "1970-01-01T00:00:00Z"));
	}

	@ParameterizedTest
	@MethodSource("values")
	void equalValuesAreOneKey(Object value, String key) {
		assertThat(evaluate(value)).isEqualTo(key);
	}

	static Stream<Object> addresses() {
		return Stream.of(new long[] { 1 }, List.of((Object) new String[] { "a" }), new Command("a"),
				new Digest(new byte[] { 1 }), List.of(new Command("a")), Set.of(new Command("a")),
				(Supplier<String>) () -> "a", Stream.of("a"));
	}

	@ParameterizedTest
	@MethodSource("addresses")
	void aValueWhoseTextIsTheAddressOfAnObjectIsRefused(Object value) {
		assertThatExceptionOfType(InvalidIdempotentException.class).isThrownBy(() -> evaluate(value))
			.withMessageContaining("Payments#pay")
			.withMessageContaining("#command.id()");
	}

	record Id(String value) {
	}

	record Digest(byte[] value) {
	}

	static class Command {

		final String id;

		Command(String id) {
			this.id = id;
		}

	}

}
