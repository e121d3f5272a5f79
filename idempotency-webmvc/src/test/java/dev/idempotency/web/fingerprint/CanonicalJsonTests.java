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

package dev.idempotency.web.fingerprint;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

import dev.idempotency.engine.identity.DigestKeys;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link CanonicalJson} against another implementation of the same form, which
 * reads by Jackson's parser and writes what the form says.
 */
class CanonicalJsonTests {

	private static final String ALPHABET = "{}[]:,\"\\/ \n\t0123456789eE+-.truefalsnb\u00E9\u20AC\uD83D\uDE00\u0000\u001F\u007F\uFEFF";

	/**
	 * An escape whose digits Jackson takes by their lowest eight bits, if it reads
	 * characters and not bytes.
	 */
	private static final Pattern NOT_HEXADECIMAL = Pattern.compile("\\\\u.{0,3}[^\\x00-\\x7F]");

	private static final JsonFactory JACKSON = JsonFactory.builder()
		.streamReadConstraints(StreamReadConstraints.builder()
			.maxNestingDepth(500)
			.maxNumberLength(1_000)
			.maxNameLength(Integer.MAX_VALUE)
			.maxStringLength(Integer.MAX_VALUE)
			.build())
		.build();

	@Test
	@Tag("F3")
	@Tag("F6")
	void randomDocumentsAreReadAsByJackson() {
		long seed = System.nanoTime();
		System.out.println("CanonicalJsonTests seed " + seed);
		Random random = new Random(seed);
		for (int i = 0; i < 5_000; i++) {
			String document = RandomJson.document(random).write(random);
			assertReadAsByJackson(bytes(document), seed);
			StringBuilder changed = new StringBuilder(document);
			for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
				int place = random.nextInt(changed.length());
				int character = random.nextInt(ALPHABET.length());
				switch (random.nextInt(3)) {
					case 0 -> changed.insert(place, ALPHABET.charAt(character));
					case 1 -> changed.setCharAt(place, ALPHABET.charAt(character));
					default -> changed.deleteCharAt(place).append(' ');
				}
			}
			assertReadAsByJackson(bytes(changed.toString()), seed);
			byte[] damaged = bytes(document);
			damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
			assertReadAsByJackson(damaged, seed);
		}
	}

	@Test
	@Tag("F6")
	void shortDocumentsAreReadAsByJackson() {
		assertReadAsByJackson(new byte[0], 0);
		for (int i = 0; i < ALPHABET.length(); i++) {
			for (int j = 0; j < ALPHABET.length(); j++) {
				for (String around : List.of("%s", "[%s]", "1%s", "\"%s\"", "{\"a\":%s}", "\"\\u00%s\"", "-%s", "1.%s",
						"1e%s")) {
					assertReadAsByJackson(bytes(around.replace("%s", ALPHABET.charAt(i) + "" + ALPHABET.charAt(j))), 0);
				}
			}
		}
	}

	@Test
	@Tag("F6")
	void charactersOfAnyBytesAreReadAsByJackson() {
		for (int first = 0; first < 256; first++) {
			for (int second = 0; second < 256; second++) {
				for (int rest : new int[] { 0x00, 0x22, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF }) {
					assertReadAsByJackson(new byte[] { '"', (byte) first, (byte) second, (byte) rest, '"' }, 0);
					assertReadAsByJackson(
							new byte[] { '"', (byte) first, (byte) second, (byte) 0x80, (byte) rest, '"' }, 0);
				}
			}
		}
	}

	@Test
	@Tag("F6")
	void bytesAtAnyPlaceOfAStringAreReadAsByJackson() {
		for (int value = 0; value < 256; value++) {
			for (int place = 1; place < 18; place++) {
				byte[] document = bytes("\"" + "a".repeat(17) + "\"");
				document[place] = (byte) value;
				assertReadAsByJackson(document, 0);
				document[place - 1] = ' ';
				document[place + 1] = '!';
				assertReadAsByJackson(document, 0);
			}
		}
	}

	@ParameterizedTest
	@Tag("F5")
	@Tag("F6")
	@ValueSource(ints = { 1, 16, 17, 18, 19, 20, 998, 999, 1000, 1001 })
	void numbersOfAnyLengthAreReadAsByJackson(int digits) {
		for (String digit : List.of("0", "1", "9")) {
			String many = digit.repeat(digits);
			for (String number : List.of(many, "-" + many, "0." + many, "1." + many, many + ".0", many + ".5",
					"1e" + many, "1e-" + many, many + "e1", many + "E+9", "-" + many + "0", "1" + many,
					"0.00" + many + "e-12")) {
				assertReadAsByJackson(bytes("[" + number + "]"), 0);
			}
		}
	}

	@Test
	@Tag("F3")
	void longStringsAreReadAsByJackson() {
		for (int length : new int[] { 4094, 4095, 4096, 4097, 20_000, 100_000 }) {
			for (String character : List.of("a", "\u00E9", "\uD83D\uDE00", "\\n")) {
				String many = "x".repeat(length / 2) + character + "y".repeat(length / 2);
				String plain = "z".repeat(length);
				assertReadAsByJackson(bytes("\"" + many + "\""), 0);
				assertReadAsByJackson(bytes("{\"b\":\"" + many + "\",\"a\":\"" + plain + "\",\"" + plain + "\":[\""
						+ plain + "\",{\"c\":\"" + plain + "\"},\"" + many + "\",1,\"" + plain + "\"],\"A\":{\"" + many
						+ "\":\"" + plain + "\"},\"" + many + "\":\"\"}"), 0);
			}
		}
	}

	@Test
	@Tag("F5")
	void membersAreSortedByTheirUtf16CodeUnits() {
		assertReadAsByJackson(
				bytes("{\"\uFFFD\":1,\"\uD83D\uDE00\":2,\"a\":3,\"\":4,\"ab\":5,\"\\uD800\":6,\"\u07FF\":7,"
						+ "\"\u0800\":8,\"\\u0000\":9,\"\\uDC00\":10,\"\\uD83D\":11}"),
				0);
		assertReadAsByJackson(bytes("{\"\uD83D\uDE00\":1,\"\\uD83D\\uDE00\":2}"), 0);
	}

	private static byte[] bytes(String document) {
		return document.getBytes(StandardCharsets.UTF_8);
	}

	private static void assertReadAsByJackson(byte[] document, long seed) {
		if (NOT_HEXADECIMAL.matcher(new String(document, StandardCharsets.UTF_8)).find()) {
			return;
		}
		CanonicalBuffer form = new CanonicalJson(List.of()).write(document, DigestKeys.sha256());
		MessageDigest digest = DigestKeys.sha256();
		if (form != null) {
			form.update(digest);
		}
		byte[] expected = byJackson(document);
		assertThat((form != null) ? digest.digest() : null)
			.as(() -> "seed " + seed + ": "
					+ new String(document, StandardCharsets.UTF_8)
						.transform((text) -> text.substring(0, Math.min(200, text.length()))))
			.isEqualTo((expected != null) ? DigestKeys.sha256().digest(expected) : null);
	}

	private static byte @Nullable [] byJackson(byte[] document) {
		try {
			String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(document)).toString();
			char[] characters = text.substring(text.startsWith("\uFEFF") ? 1 : 0).toCharArray();
			try (JsonParser parser = JACKSON.createParser(ObjectReadContext.empty(), characters, 0,
					characters.length)) {
				parser.nextToken();
				byte[] value = value(parser);
				return (parser.nextToken() == null) ? value : null;
			}
		}
		catch (CharacterCodingException | JacksonException | TwoMembersOfOneNameException ex) {
			return null;
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static byte @Nullable [] value(JsonParser parser) throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		DataOutputStream out = new DataOutputStream(bytes);
		JsonToken token = parser.currentToken();
		if (token == null) {
			return null;
		}
		switch (token) {
			case START_OBJECT -> {
				out.write('{');
				Map<String, byte[]> members = new TreeMap<>();
				while (parser.nextToken() != JsonToken.END_OBJECT) {
					String name = parser.currentName();
					parser.nextToken();
					if (members.put(name, value(parser)) != null) {
						throw new TwoMembersOfOneNameException();
					}
				}
				ByteArrayOutputStream all = new ByteArrayOutputStream();
				for (Map.Entry<String, byte[]> member : members.entrySet()) {
					text(member.getKey(), new DataOutputStream(all));
					all.write(member.getValue());
				}
				out.write(DigestKeys.sha256().digest(all.toByteArray()));
			}
			case START_ARRAY -> {
				out.write('[');
				while (parser.nextToken() != JsonToken.END_ARRAY) {
					out.write(value(parser));
				}
				out.write(']');
			}
			case VALUE_STRING -> {
				out.write('s');
				text(parser.getString(), out);
			}
			case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> {
				out.write('d');
				text(number(parser.getString()), out);
			}
			case VALUE_TRUE -> out.write('t');
			case VALUE_FALSE -> out.write('f');
			case VALUE_NULL -> out.write('n');
			default -> throw new IllegalStateException("Not JSON: " + token);
		}
		return bytes.toByteArray();
	}

	/**
	 * Writes the number of characters and each of them, in the encoding of
	 * {@link DataOutputStream#writeUTF} with the exception of zero.
	 */
	private static void text(String text, DataOutputStream out) throws IOException {
		out.writeInt(text.length());
		Map<Character, byte[]> known = new HashMap<>();
		for (char character : text.toCharArray()) {
			out.write(known.computeIfAbsent(character, CanonicalJsonTests::encoded));
		}
	}

	private static byte[] encoded(char character) {
		return Character.isSurrogate(character)
				? new byte[] { (byte) 0xED, (byte) (0x80 | character >> 6 & 0x3F), (byte) (0x80 | character & 0x3F) }
				: bytes(String.valueOf(character));
	}

	private static String number(String number) {
		String[] parts = number.toLowerCase(Locale.ROOT).split("e");
		BigDecimal digits = new BigDecimal(parts[0]).stripTrailingZeros();
		if (digits.signum() == 0) {
			return "0";
		}
		BigInteger exponent = (parts.length > 1) ? new BigInteger(parts[1]) : BigInteger.ZERO;
		return digits.unscaledValue() + "e" + exponent.subtract(BigInteger.valueOf(digits.scale()));
	}

	private static final class TwoMembersOfOneNameException extends RuntimeException {

	}

}
