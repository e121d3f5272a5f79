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

import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeInfo.Id;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.ParameterizedTypeReference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * A return value is read back as it was, or is refused while its effects can still be
 * rolled back.
 */
class ReturnValueFormatTests {

	/**
	 * Settings of an application that leave something out.
	 */
	private static final JsonMapper MAPPER = JsonMapper.builder()
		.enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
		.enable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS)
		.disable(DateTimeFeature.WRITE_DATE_TIMESTAMPS_AS_NANOSECONDS)
		.changeDefaultPropertyInclusion((inclusion) -> inclusion.withValueInclusion(JsonInclude.Include.NON_EMPTY))
		.build();

	private final ReturnValueFormat values = new ReturnValueFormat(MAPPER);

	static Stream<Arguments> exactValues() {
		Instant instant = Instant.parse("2026-01-01T00:00:00.123456789Z");
		return Stream.of(arguments(void.class, null), arguments(String.class, null), arguments(int.class, 7),
				arguments(char.class, 'x'), arguments(BigDecimal.class, new BigDecimal("10.00")),
				arguments(BigDecimal.class, new BigDecimal("1E+3")), arguments(AtomicLong.class, new AtomicLong(5)),
				arguments(BigInteger.class, BigInteger.TWO.pow(100)), arguments(double.class, 0.1),
				arguments(float.class, 0.1f), arguments(byte[].class, new byte[] { 0, -1 }),
				arguments(long[][].class, new long[][] { { 1 }, {} }), arguments(UUID.class, new UUID(1, 2)),
				arguments(Instant.class, instant),
				arguments(OffsetDateTime.class, instant.atOffset(ZoneOffset.ofHours(2))),
				arguments(ZonedDateTime.class, instant.atZone(ZoneId.of("Europe/Berlin"))),
				arguments(Duration.class, Duration.ofNanos(1)), arguments(LocalDate.class, LocalDate.MAX),
				arguments(Colour.class, Colour.RED), arguments(URI.class, URI.create("/a")),
				arguments(Account.class,
						new Account(new byte[] { 1 }, new BigDecimal("1.0"), List.of(), Optional.empty())),
				arguments(Plain.class, new Plain("text")), arguments(Secret.class, new Secret("same", null)),
				arguments(Kind.class, new Card("4242")), arguments(Keyed.class, new Keyed(new byte[] { 1 })),
				arguments(JsonNode.class, JsonMapper.shared().readTree("{\"a\":[1,2.50]}")),
				arguments(new ParameterizedTypeReference<Set<Plain>>() {
				}.getType(), Set.of(new Plain("text"))),
				arguments(new ParameterizedTypeReference<Map<Object, String>>() {
				}.getType(), Map.of(1, "one")),
				arguments(list(Account.class), Collections.unmodifiableList(Arrays.asList(account(), null))),
				arguments(new ParameterizedTypeReference<Set<String>>() {
				}.getType(), new LinkedHashSet<>(List.of("z", "a", "m"))),
				arguments(new ParameterizedTypeReference<Map<Colour, Account>>() {
				}.getType(), Map.of(Colour.RED, account())),
				arguments(new ParameterizedTypeReference<Optional<Account>>() {
				}.getType(), Optional.of(account())), arguments(new ParameterizedTypeReference<Map<String, Object>>() {
				}.getType(), Map.of("id", 5_000L, "price", new BigDecimal("10.10"), "at", instant)));
	}

	@ParameterizedTest
	@MethodSource("exactValues")
	void aValueIsReadBackAsItWas(Type type, Object value) {
		Object read = this.values.read(this.values.toResponse("pay", type, value), type);
		if (!(value instanceof Map<?, ?> || value instanceof AtomicLong)) {
			assertThat(read).usingRecursiveComparison()
				.withComparatorForType(BigDecimal::compareTo, BigDecimal.class)
				.isEqualTo(value);
		}
	}

	static Stream<Arguments> lossyValues() {
		return Stream.of(arguments(Plain.class, new Detailed("text", 5), "Detailed"),
				arguments(Plain.class, new Marked("text"), "Marked"),
				arguments(list(Plain.class), new ArrayList<>(List.of(new Detailed("text", 5))), "[0]"),
				arguments(list(Plain.class), List.of(new Plain("text"), new Detailed("text", 5)), "[1]"),
				arguments(Object.class, new String[] { "text" }, "is read as"),
				arguments(Loud.class, Loud.saying("text"), "Loud"),
				arguments(new ParameterizedTypeReference<Set<Loud>>() {
				}.getType(), Set.of(Loud.saying("text")), "is read as"),
				arguments(Rounded.class, new Rounded(new BigDecimal("1.5")), "'amount'"),
				arguments(Single.class, new Single(List.of("a", "b")), "'items'"),
				arguments(Object.class, new Money(5), "Money"),
				arguments(Object.class, CompletableFuture.completedFuture("text"), "CompletableFuture"),
				arguments(Object.class, List.of("text").iterator(), "is read as"),
				arguments(new ParameterizedTypeReference<Map<String, Object>>() {
				}.getType(), Map.of("price", new Money(5)), "Money"),
				arguments(Secret.class, new Secret("user", "password"), "password"),
				arguments(Timed.class, new Timed(Instant.parse("2026-01-01T00:00:00.5Z")), "at"),
				arguments(Silent.class, new Silent().withId(5), "Silent"),
				arguments(Sparse.class, new Sparse(List.of()), "items"));
	}

	@ParameterizedTest
	@MethodSource("lossyValues")
	void aValueThatWouldBeReadBackAsAnotherIsRefused(Type type, Object value, String place) {
		assertThatIllegalStateException().isThrownBy(() -> this.values.toResponse("pay", type, value))
			.withMessageContaining("The return value of pay")
			.withMessageContaining(place);
	}

	private static Account account() {
		return new Account(new byte[] { 1 }, BigDecimal.ONE, List.of("a"), Optional.of("b"));
	}

	private static Type list(Class<?> elements) {
		return JsonMapper.shared().getTypeFactory().constructCollectionType(List.class, elements);
	}

	enum Colour {

		RED {
			@Override
			public String toString() {
				return "rouge";
			}
		}

	}

	record Account(byte[] digest, BigDecimal balance, List<String> names, Optional<String> nick) {
	}

	record Money(int cents) {
	}

	record Secret(String user, @JsonIgnore String password) {
	}

	record Timed(@JsonFormat(pattern = "yyyy-MM-dd'T'HH:mm:ssX", timezone = "UTC") Instant at) {
	}

	record Rounded(BigDecimal amount) {

		@JsonCreator
		static Rounded read(@JsonProperty("amount") BigDecimal amount) {
			return new Rounded(amount.setScale(0, RoundingMode.UP));
		}

	}

	record Single(List<String> items) {

		@JsonCreator
		static Single read(@JsonProperty("items") List<String> items) {
			return new Single(items.subList(0, 1));
		}

	}

	record Sparse(@JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> items) {
	}

	@JsonTypeInfo(use = Id.CLASS)
	sealed interface Kind permits Card {

	}

	record Card(String number) implements Kind {
	}

	static class Plain {

		private String text = "";

		Plain() {
		}

		Plain(String text) {
			this.text = text;
		}

		public String getText() {
			return this.text;
		}

		public void setText(String text) {
			this.text = text;
		}

	}

	/**
	 * Has no equals method, and changes what is read.
	 */
	static class Loud {

		private String text = "";

		static Loud saying(String text) {
			Loud loud = new Loud();
			loud.text = text;
			return loud;
		}

		public String getText() {
			return this.text;
		}

		public void setText(String text) {
			this.text = text.toUpperCase(Locale.ROOT);
		}

	}

	/**
	 * Compares its array as generated methods do.
	 */
	static class Keyed {

		private byte[] digest = {};

		Keyed() {
		}

		Keyed(byte[] digest) {
			this.digest = digest;
		}

		public byte[] getDigest() {
			return this.digest;
		}

		public void setDigest(byte[] digest) {
			this.digest = digest;
		}

		@Override
		public boolean equals(Object other) {
			return other instanceof Keyed keyed && keyed.digest == this.digest;
		}

		@Override
		public int hashCode() {
			return System.identityHashCode(this.digest);
		}

	}

	static class Detailed extends Plain {

		private final int cents;

		Detailed(String text, int cents) {
			super(text);
			this.cents = cents;
		}

		public int getCents() {
			return this.cents;
		}

	}

	static class Marked extends Plain {

		Marked(String text) {
			super(text);
		}

	}

	/**
	 * Has no property that Jackson sees.
	 */
	static class Silent {

		private static final int[] NO_IDS = {};

		private int id = NO_IDS.length;

		Silent withId(int id) {
			this.id = id;
			return this;
		}

		@Override
		public boolean equals(Object other) {
			return other instanceof Silent silent && silent.id == this.id;
		}

		@Override
		public int hashCode() {
			return this.id;
		}

	}

}
