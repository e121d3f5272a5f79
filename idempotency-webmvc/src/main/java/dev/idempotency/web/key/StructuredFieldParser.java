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

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.util.Base64;
import java.util.function.IntPredicate;

/**
 * The part of RFC 9651, section 4.2, that an item of type string with parameters needs.
 * One instance reads one field value. Failures name the expectation and the position,
 * never the text, which may be a secret.
 */
final class StructuredFieldParser {

	/**
	 * The value that {@link #peek()} returns at the end.
	 */
	private static final int END = -1;

	private final String text;

	private int position;

	StructuredFieldParser(String text) {
		this.text = text;
	}

	/**
	 * Reads the whole value as a string; its parameters are checked and left out (section
	 * 4.2.3).
	 * @return the decoded string
	 * @throws ParseException if the value is anything else
	 */
	String stringItem() throws ParseException {
		skipSpaces();
		String value = string();
		parameters();
		skipSpaces();
		require(peek() != ',', "one value is expected, not a list");
		require(atEnd(), "only parameters may follow the string");
		return value;
	}

	/** Section 4.2.5. */
	private String string() throws ParseException {
		require(consume('"'), "a double quote is expected, as in \"8e03978e-40d5-43dd-bc93-6894a57f9324\"");
		StringBuilder result = new StringBuilder();
		while (!atEnd()) {
			result.append(takeWhile((c) -> isPrintable(c) && c != '"' && c != '\\'));
			if (consume('"')) {
				return result.toString();
			}
			if (consume('\\')) {
				require(peek() == '"' || peek() == '\\', "a backslash may only precede a double quote or a backslash");
				result.append(next());
			}
			else {
				require(atEnd(), "only printable ASCII characters are allowed");
			}
		}
		throw failure("the closing double quote is missing");
	}

	/** Section 4.2.3.2. */
	private void parameters() throws ParseException {
		while (consume(';')) {
			skipSpaces();
			key();
			if (consume('=')) {
				bareItem();
			}
		}
	}

	/** Section 4.2.3.3. */
	private void key() throws ParseException {
		int first = peek();
		require(isLowerAlpha(first) || first == '*', "a parameter's name is expected");
		takeWhile((c) -> isLowerAlpha(c) || isDigit(c) || "_-.*".indexOf(c) >= 0);
	}

	/** Section 4.2.3.1. */
	private void bareItem() throws ParseException {
		int first = peek();
		if (first == '-' || isDigit(first)) {
			integerOrDecimal();
		}
		else if (first == '"') {
			string();
		}
		else if (isAlpha(first) || first == '*') {
			// Section 4.2.6
			takeWhile((c) -> isTokenCharacter(c) || c == ':' || c == '/');
		}
		else if (consume(':')) {
			byteSequence();
		}
		else if (consume('?')) {
			require(consume('0') || consume('1'), "a boolean is expected");
		}
		else if (consume('@')) {
			require(integerOrDecimal(), "a date is a whole number");
		}
		else if (consume('%')) {
			displayString();
		}
		else {
			throw failure("a parameter's value is expected");
		}
	}

	/**
	 * Section 4.2.4.
	 * @return whether it is an integer
	 */
	private boolean integerOrDecimal() throws ParseException {
		consume('-');
		int whole = takeWhile(StructuredFieldParser::isDigit).length();
		if (!consume('.')) {
			require(whole >= 1 && whole <= 15, "an integer has 1 to 15 digits");
			return true;
		}
		int fraction = takeWhile(StructuredFieldParser::isDigit).length();
		require(whole >= 1 && whole <= 12 && fraction >= 1 && fraction <= 3,
				"a decimal has 1 to 12 digits before the point and 1 to 3 after it");
		return false;
	}

	/** Section 4.2.7. */
	private void byteSequence() throws ParseException {
		String content = takeWhile((c) -> c != ':');
		require(consume(':'), "the closing colon of a byte sequence is missing");
		try {
			Base64.getDecoder().decode(content);
		}
		catch (IllegalArgumentException ex) {
			throw failure("a byte sequence is base64");
		}
	}

	/** Section 4.2.10. */
	private void displayString() throws ParseException {
		require(consume('"'), "the opening double quote of a display string is missing");
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		while (!consume('"')) {
			require(!atEnd(), "the closing double quote of a display string is missing");
			bytes.write(consume('%') ? (hexDigit() << 4) | hexDigit() : printable());
		}
		try {
			StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.toByteArray()));
		}
		catch (CharacterCodingException ex) {
			throw failure("a display string is UTF-8");
		}
	}

	private int hexDigit() throws ParseException {
		int digit = "0123456789abcdef".indexOf(peek());
		require(digit >= 0, "two lower case hexadecimal digits are expected");
		next();
		return digit;
	}

	private char printable() throws ParseException {
		require(isPrintable(peek()), "only printable ASCII characters are allowed");
		return next();
	}

	// Section 4.2 discards SP only, not other white space
	private void skipSpaces() {
		takeWhile((c) -> c == ' ');
	}

	private boolean atEnd() {
		return this.position >= this.text.length();
	}

	private int peek() {
		return atEnd() ? END : this.text.charAt(this.position);
	}

	private char next() {
		return this.text.charAt(this.position++);
	}

	/**
	 * Moves past the given character if it comes next.
	 */
	private boolean consume(char expected) {
		if (peek() != expected) {
			return false;
		}
		this.position++;
		return true;
	}

	/**
	 * Moves past all characters that match, and returns them.
	 */
	private String takeWhile(IntPredicate matching) {
		int start = this.position;
		while (this.position < this.text.length() && matching.test(this.text.charAt(this.position))) {
			this.position++;
		}
		return this.text.substring(start, this.position);
	}

	private void require(boolean condition, String message) throws ParseException {
		if (!condition) {
			throw failure(message);
		}
	}

	private ParseException failure(String message) {
		return new ParseException(message + " (at character " + (this.position + 1) + ")", this.position);
	}

	private static boolean isLowerAlpha(int c) {
		return c >= 'a' && c <= 'z';
	}

	private static boolean isAlpha(int c) {
		return isLowerAlpha(c) || (c >= 'A' && c <= 'Z');
	}

	private static boolean isDigit(int c) {
		return c >= '0' && c <= '9';
	}

	private static boolean isPrintable(int c) {
		return c >= 0x20 && c <= 0x7E;
	}

	/**
	 * Returns whether a character may be in a token: RFC 9110, section 5.6.2.
	 */
	private static boolean isTokenCharacter(int c) {
		return isAlpha(c) || isDigit(c) || "!#$%&'*+-.^_`|~".indexOf(c) >= 0;
	}

}
