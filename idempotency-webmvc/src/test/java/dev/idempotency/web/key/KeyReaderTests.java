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

package dev.idempotency.web.key;

import java.util.List;
import java.util.regex.Pattern;

import org.assertj.core.api.ThrowableAssertAlternative;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.mock.web.MockHttpServletRequest;

import dev.idempotency.HeaderSyntax;
import dev.idempotency.exception.MalformedKeyException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link KeyReader}.
 */
class KeyReaderTests {

	private static final String UUID = "8e03978e-40d5-43dd-bc93-6894a57f9324";

	private final KeyReader lenient = reader(HeaderSyntax.LENIENT);

	private final KeyReader strict = reader(HeaderSyntax.STRICT);

	@Test
	@Tag("K3")
	void quotedUuidIsAcceptedInBothSyntaxes() {
		assertThat(parse(this.lenient, List.of('"' + UUID + '"'))).isEqualTo(UUID);
		assertThat(parse(this.strict, List.of('"' + UUID + '"'))).isEqualTo(UUID);
	}

	@ParameterizedTest
	@Tag("K4")
	@ValueSource(strings = { UUID, "c8436910-5c6f-4b1a-9d2d-000000000000", "k", "*", ":cHJl:", "?1", "@1", "%22",
			"k;v=1", "k\"k", "k\\", "-", "~!#$&'()" })
	void bareValueIsTakenLiterallyInLenientOnly(String value) {
		assertThat(parse(this.lenient, List.of(value))).isEqualTo(value);
		assertMalformed(this.strict, value).withMessageContaining("double quote is expected");
	}

	@Test
	@Tag("K5")
	void bareAndQuotedSpellingAreOneKey() {
		assertThat(parse(this.lenient, List.of("k"))).isEqualTo(parse(this.lenient, List.of("\"k\"")));
	}

	@ParameterizedTest
	@Tag("K6")
	@ValueSource(strings = { "", " ", "    ", "\"\"", "\" \"", "\"    \"", "\"\";v=1" })
	void emptyAndBlankKeysAreMalformedInBothSyntaxes(String value) {
		assertMalformed(this.lenient, value).withMessageContaining("is empty");
		assertMalformed(this.strict, value).withMessageContaining("is empty");
	}

	@ParameterizedTest
	@Tag("K7")
	@EnumSource(HeaderSyntax.class)
	void keyOfMaximumLengthIsAcceptedAndOneMoreIsNot(HeaderSyntax syntax) {
		assertThat(parse(reader(syntax), List.of(quoted("k".repeat(255))))).hasSize(255);
		assertMalformed(reader(syntax), quoted("k".repeat(256))).withMessageContaining("at most 255");
	}

	@Test
	@Tag("K7")
	void lengthOfBareKeyIsLimitedToo() {
		assertThat(parse(this.lenient, List.of("k".repeat(255)))).hasSize(255);
		assertMalformed(this.lenient, "k".repeat(256)).withMessageContaining("too long");
	}

	@Test
	@Tag("K7")
	void escapesAreDecodedBeforeCounting() {
		assertThat(parse(this.strict, List.of('"' + "\\\"".repeat(255) + '"'))).isEqualTo("\"".repeat(255));
		assertThat(parse(this.strict, List.of('"' + "\\\\".repeat(255) + '"'))).isEqualTo("\\".repeat(255));
		assertMalformed(this.strict, '"' + "\\\\".repeat(256) + '"').withMessageContaining("too long");
	}

	@ParameterizedTest
	@Tag("K9")
	@ValueSource(strings = { "\"", "\"k", "\"k\\\"", "\"k\\", "\"k\\n\"", "\"k\"x", "\"k\" x", "\"k\" ;v=1",
			"\"\"k\"\"", "\"k\"\"k\"", "\"k\"\t" })
	void valueThatOpensWithQuoteAndDoesNotParseIsMalformedInBothSyntaxes(String value) {
		assertMalformed(this.lenient, value).withMessageContaining("RFC 9651");
		assertMalformed(this.strict, value).withMessageContaining("RFC 9651");
	}

	@Test
	@Tag("K10")
	void controlCharactersDelAndNonAsciiAreMalformed() {
		for (char c = 0; c < 0x180; c++) {
			if (c < 0x20 || c > 0x7E) {
				assertMalformed(this.lenient, "k" + c + "k");
				assertMalformed(this.lenient, c + "k");
				assertMalformed(this.lenient, "k" + c);
				assertMalformed(this.strict, "\"k" + c + "k\"");
				assertMalformed(this.strict, "\"k\";v=\"" + c + "\"");
			}
		}
	}

	@Test
	@Tag("K10")
	void everyPrintableCharacterIsAcceptedInQuotes() {
		StringBuilder key = new StringBuilder();
		for (char c = 0x20; c <= 0x7E; c++) {
			key.append(c);
		}
		assertThat(parse(this.strict, List.of(quoted(key.toString())))).isEqualTo(key.toString());
	}

	@Test
	@Tag("K11")
	void twoHeaderLinesAreMalformedEvenIfIdentical() {
		assertThatExceptionOfType(MalformedKeyException.class)
			.isThrownBy(() -> parse(this.lenient, List.of("\"k\"", "\"k\"")))
			.withMessageContaining("more than once");
		assertThatExceptionOfType(MalformedKeyException.class).isThrownBy(() -> parse(this.lenient, List.of("k", "")))
			.withMessageContaining("more than once");
	}

	@Test
	@Tag("K14")
	void caseIsKept() {
		assertThat(parse(this.lenient, List.of("Key"))).isEqualTo("Key");
	}

	@Test
	@Tag("K15")
	void unmetPatternIsNamed() {
		KeyReader reader = new KeyReader("Idempotency-Key", HeaderSyntax.LENIENT, Pattern.compile("[0-9a-f]{4}"), null);
		assertThat(parse(reader, List.of("\"00ff\""))).isEqualTo("00ff");
		assertMalformed(reader, "00ff0").withMessageContaining("[0-9a-f]{4}");
	}

	@Test
	@Tag("K16")
	void messageNamesTheConfiguredHeader() {
		MockHttpServletRequest request = new MockHttpServletRequest();
		request.addHeader("X-Request-Key", "k");
		assertThatExceptionOfType(MalformedKeyException.class)
			.isThrownBy(() -> new KeyReader("X-Request-Key", HeaderSyntax.STRICT, null, null).read(request))
			.withMessageStartingWith("The X-Request-Key header is not a valid RFC 9651 string: ");
	}

	@Test
	void spacesAroundTheValueAreTrimmedAndThoseInTheQuotesAreKept() {
		assertThat(parse(this.lenient, List.of("  k "))).isEqualTo("k");
		assertThat(parse(this.strict, List.of("  \"k\" "))).isEqualTo("k");
		assertThat(parse(this.strict, List.of("\" k k \""))).isEqualTo(" k k ");
	}

	@Test
	@Tag("Y5")
	void messageNeverRepeatsTheKey() {
		String secret = "s3cr3t";
		for (String value : List.of(secret + ",", secret + " x", '"' + secret, '"' + secret + "\"x", secret + "\u00E9",
				'"' + secret + "\";v=:" + secret + "_:", secret.repeat(60), '"' + secret + "\\n\"")) {
			for (KeyReader reader : List.of(this.lenient, this.strict)) {
				assertThatExceptionOfType(MalformedKeyException.class).isThrownBy(() -> parse(reader, List.of(value)))
					.satisfies((ex) -> assertThat(ex.getMessage()).doesNotContain(secret));
			}
		}
	}

	static String quoted(String key) {
		return '"' + key.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
	}

	static @Nullable String parse(KeyReader reader, List<String> headerLines) {
		MockHttpServletRequest request = new MockHttpServletRequest();
		headerLines.forEach((line) -> request.addHeader("Idempotency-Key", line));
		return reader.read(request);
	}

	static KeyReader reader(HeaderSyntax syntax) {
		return new KeyReader("Idempotency-Key", syntax, null, null);
	}

	static ThrowableAssertAlternative<MalformedKeyException> assertMalformed(KeyReader reader, String value) {
		return assertThatExceptionOfType(MalformedKeyException.class).isThrownBy(() -> parse(reader, List.of(value)));
	}

}
