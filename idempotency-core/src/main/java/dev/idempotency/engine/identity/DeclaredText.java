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

import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalAmount;
import java.util.Optional;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.spel.support.StandardTypeConverter;

import dev.idempotency.exception.MalformedKeyException;

/**
 * The text of a value within an identity, as the type of the value declares it: equal
 * values have the same text on every attempt, thread and node. These types count:
 * <ol>
 * <li>texts, characters, booleans, UUIDs, numbers, and the dates, times and durations of
 * {@code java.time}</li>
 * <li>an enum, by the name of its constant</li>
 * <li>a record with one component, such as a typed id, and an {@link Optional}, by the
 * value in it</li>
 * </ol>
 * Nothing is concluded from what {@link Object#toString()} returns for any other type: it
 * may print an address, or fields that change before a retry.
 */
public final class DeclaredText {

	/**
	 * The largest number of characters of a text. Longer ones are refused before they are
	 * looked at.
	 */
	public static final int MAX_LENGTH = 4096;

	private DeclaredText() {
	}

	/**
	 * Returns the text of a value.
	 * @param value the value
	 * @return its text of any length, {@code null} for {@code null} and for an empty
	 * {@link Optional}
	 * @throws UndeclaredTextException if its type declares none
	 */
	public static @Nullable String of(@Nullable Object value) {
		if (value == null) {
			return null;
		}
		if (value instanceof Enum<?> constant) {
			return constant.name();
		}
		if (value instanceof CharSequence || value instanceof UUID || value instanceof Character
				|| value instanceof Boolean || isOfJavaTime(value)) {
			return value.toString();
		}
		if (value instanceof Number number) {
			return text(number);
		}
		if (value instanceof Optional<?> optional) {
			return of(optional.orElse(null));
		}
		if (value instanceof Record typed && typed.getClass().getRecordComponents().length == 1) {
			return of(component(typed));
		}
		throw new UndeclaredTextException(value.getClass());
	}

	/**
	 * Creates the exception for a key that is longer than any key may be.
	 * @return the exception
	 */
	public static MalformedKeyException tooLong() {
		return new MalformedKeyException(
				"The idempotency key is too long: a key has at most " + MAX_LENGTH + " characters");
	}

	private static boolean isOfJavaTime(Object value) {
		return (value instanceof TemporalAccessor || value instanceof TemporalAmount)
				&& value.getClass().getPackage() == Instant.class.getPackage();
	}

	/**
	 * Returns the text of a number. A number type of another library has to write a
	 * decimal.
	 */
	private static String text(Number number) {
		String text = number.toString();
		if (number.getClass().getModule() != Number.class.getModule()) {
			try {
				new BigDecimal(text);
			}
			catch (NumberFormatException ex) {
				throw new UndeclaredTextException(number.getClass());
			}
		}
		return text;
	}

	private static @Nullable Object component(Record typed) {
		RecordComponent component = typed.getClass().getRecordComponents()[0];
		try {
			component.getAccessor().setAccessible(true);
			return component.getAccessor().invoke(typed);
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			throw new UndeclaredTextException(typed.getClass());
		}
	}

	/**
	 * Returns the conversion of operands that an expression joins with a text.
	 * @return a converter that refuses operands without a declared text
	 */
	public static TypeConverter operands() {
		return new Operands(new StandardTypeConverter());
	}

	private record Operands(TypeConverter others) implements TypeConverter {

		@Override
		public boolean canConvert(@Nullable TypeDescriptor source, TypeDescriptor target) {
			return isText(target) || this.others.canConvert(source, target);
		}

		@Override
		public @Nullable Object convertValue(@Nullable Object value, @Nullable TypeDescriptor source,
				TypeDescriptor target) {
			return isText(target) ? of(value) : this.others.convertValue(value, source, target);
		}

		private static boolean isText(TypeDescriptor type) {
			return type.getType() == String.class;
		}

	}

	/**
	 * Signals a value whose type declares no text.
	 */
	@SuppressWarnings("serial")
	public static final class UndeclaredTextException extends RuntimeException {

		private UndeclaredTextException(Class<?> type) {
			super("a " + type.getTypeName() + ", whose type declares no text");
		}

	}

}
