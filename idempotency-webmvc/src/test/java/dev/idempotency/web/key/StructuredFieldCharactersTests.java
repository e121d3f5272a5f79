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

import java.text.ParseException;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each ASCII character at each place of an RFC 9651 item, and numbers of each length, as
 * {@link StructuredFieldParser} reads them. The working group's vectors enumerate the
 * same, see {@link StructuredFieldVectorsTests}.
 */
class StructuredFieldCharactersTests {

	private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz";

	private static final String DIGITS = "0123456789";

	/** RFC 9110, section 5.6.2. */
	private static final String TOKEN = LETTERS + LETTERS.toUpperCase(Locale.ROOT) + DIGITS + "!#$%&'*+-.^_`|~";

	static Stream<Character> ascii() {
		return IntStream.range(0, 128).mapToObj((code) -> (char) code);
	}

	/** Section 4.2.5. */
	@ParameterizedTest
	@MethodSource("ascii")
	@Tag("K12")
	void stringHoldsPrintableCharactersButQuoteAndBackslash(char character) {
		boolean allowed = character >= ' ' && character <= '~' && character != '"' && character != '\\';
		String text = "a" + character + "b";
		assertThat(string("\"" + text + "\"")).isEqualTo(allowed ? text : null);
	}

	@ParameterizedTest
	@MethodSource("ascii")
	@Tag("K12")
	void backslashEscapesQuoteAndBackslashOnly(char character) {
		boolean allowed = character == '"' || character == '\\';
		assertThat(string("\"a\\" + character + "b\"")).isEqualTo(allowed ? "a" + character + "b" : null);
	}

	/** Section 4.2.3: spaces may surround an item, and nothing else. */
	@ParameterizedTest
	@MethodSource("ascii")
	@Tag("K12")
	void onlySpacesSurroundString(char character) {
		assertThat(string(character + "\"a\"")).isEqualTo((character == ' ') ? "a" : null);
		assertThat(string("\"a\"" + character)).isEqualTo((character == ' ') ? "a" : null);
	}

	/** Section 4.2.6. */
	@ParameterizedTest
	@MethodSource("ascii")
	@Tag("K13")
	void tokenBeginsWithLetterOrAsterisk(char character) {
		boolean begins = Character.isLetter(character) || character == '*';
		boolean number = DIGITS.indexOf(character) >= 0;
		assertThat(isParameter(String.valueOf(character))).isEqualTo(begins || number);
		assertThat(isParameter(character + "a")).isEqualTo(begins);
	}

	@ParameterizedTest
	@MethodSource("ascii")
	@Tag("K13")
	void tokenContinuesWithTokenCharactersColonAndSlash(char character) {
		boolean continues = TOKEN.indexOf(character) >= 0 || character == ':' || character == '/';
		assertThat(isParameter("a" + character + "b")).isEqualTo(continues || character == ';');
	}

	/** Section 4.2.3.3. */
	@ParameterizedTest
	@MethodSource("ascii")
	@Tag("K13")
	void nameOfParameterBeginsWithSmallLetterOrAsterisk(char character) {
		boolean begins = LETTERS.indexOf(character) >= 0 || character == '*';
		assertThat(string("\"key\";" + character + "a=1")).isEqualTo((begins || character == ' ') ? "key" : null);
	}

	@ParameterizedTest
	@MethodSource("ascii")
	@Tag("K13")
	void nameOfParameterContinuesWithSmallLettersDigitsAndFourSigns(char character) {
		boolean continues = (LETTERS + DIGITS + "_-.*").indexOf(character) >= 0;
		// An '=' and a ';' end the name, and what follows is a value or another name.
		assertThat(string("\"key\";a" + character + "b"))
			.isEqualTo((continues || "=;".indexOf(character) >= 0) ? "key" : null);
	}

	/** Section 4.2.7. */
	@ParameterizedTest
	@MethodSource("ascii")
	@Tag("K13")
	void binaryHoldsBase64Only(char character) {
		boolean allowed = Character.isLetterOrDigit(character) || character == '+' || character == '/';
		assertThat(isParameter(":YWJ" + character + ":")).isEqualTo(allowed || character == '=');
	}

	/** Section 4.2.4. */
	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 30 })
	@Tag("K13")
	void integerHasUpToFifteenDigits(int digits) {
		assertThat(isParameter("9".repeat(digits))).isEqualTo(digits <= 15);
		assertThat(isParameter("-" + "0".repeat(digits))).isEqualTo(digits <= 15);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 })
	@Tag("K13")
	void decimalHasUpToTwelveDigitsAndOneToThreeBehindThePoint(int digits) {
		for (int fraction = 0; fraction <= 5; fraction++) {
			assertThat(isParameter("1".repeat(digits) + "." + "2".repeat(fraction))).as("fraction of %d", fraction)
				.isEqualTo(digits <= 12 && fraction >= 1 && fraction <= 3);
		}
	}

	private static boolean isParameter(String value) {
		return "key".equals(string("\"key\";parameter=" + value));
	}

	private static @Nullable String string(String text) {
		try {
			return new StructuredFieldParser(text).stringItem();
		}
		catch (ParseException ex) {
			return null;
		}
	}

}
