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
package dev.idempotency.engine.identity;

import java.util.Calendar;
import java.util.Collection;
import java.util.Date;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ReflectionUtils;

/**
 * The text of a value within an identity. Equal values have the same text on every
 * attempt, thread and node.
 */
public final class StableText {

	/**
	 * The text of {@link Object#toString()}, also within the text of a record. An e-mail
	 * address looks similar, but continues after such digits.
	 */
	private static final Pattern ADDRESS = Pattern
		.compile("(?:\\[+[A-Z][\\w.$]*;?|(?:[A-Za-z_$][\\w$]*\\.)+[\\w$/]+)@[0-9a-f]{1,8}(?![\\w.-])");

	private StableText() {
	}

	/**
	 * Returns the text of a value. Elements of sets and maps are sorted, because their
	 * order differs from JVM to JVM.
	 * @param value a text, a number, a date, a value whose class defines
	 * {@code toString}, or a collection of them
	 * @return its text, {@code null} for {@code null} and for an empty {@link Optional}
	 * @throws IllegalArgumentException if equal values have different texts
	 */
	public static @Nullable String of(@Nullable Object value) {
		if (value instanceof Optional<?> optional) {
			return of(optional.orElse(null));
		}
		if (value == null || value instanceof CharSequence || value instanceof Number) {
			return (value != null) ? value.toString() : null;
		}
		if (value instanceof Collection<?> elements) {
			Stream<String> texts = elements.stream().map(StableText::element);
			return ((value instanceof Set) ? texts.sorted() : texts).collect(Collectors.joining(", ", "[", "]"));
		}
		if (value instanceof Map<?, ?> map) {
			return map.entrySet()
				.stream()
				.map((entry) -> element(entry.getKey()) + "=" + element(entry.getValue()))
				.sorted()
				.collect(Collectors.joining(", ", "{", "}"));
		}
		if (value.getClass() == Date.class || value instanceof Calendar) {
			Date date = (value instanceof Calendar calendar) ? calendar.getTime() : (Date) value;
			return date.toInstant().toString();
		}
		String text = value.toString();
		if (!hasText(value) || isAddress(text)) {
			throw new IllegalArgumentException(
					"a " + value.getClass().getTypeName() + ", whose text is the address of an object in memory");
		}
		return text;
	}

	private static String element(@Nullable Object value) {
		return String.valueOf(of(value));
	}

	/**
	 * Returns whether a text contains the address of an object.
	 * @param text the result of a {@code toString}
	 * @return whether a part of it comes from {@link Object#toString()}
	 */
	public static boolean isAddress(String text) {
		return ADDRESS.matcher(text).find();
	}

	private static boolean hasText(Object value) {
		var method = ReflectionUtils.findMethod(value.getClass(), "toString");
		return method != null && method.getDeclaringClass() != Object.class;
	}

}
