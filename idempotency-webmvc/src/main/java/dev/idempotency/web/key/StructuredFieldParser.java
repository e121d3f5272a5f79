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

/**
 * The part of RFC 9651, section 4.2, that an item of type string with parameters needs.
 * One instance reads one field value.
 */
final class StructuredFieldParser {

	private final TextCursor cursor;

	StructuredFieldParser(String text) {
		this.cursor = new TextCursor(text);
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
		this.cursor.require(this.cursor.peek() != ',', "one value is expected, not a list");
		this.cursor.require(this.cursor.atEnd(), "only parameters may follow the string");
		return value;
	}

	/** Section 4.2.5. */
	private String string() throws ParseException {
		this.cursor.require(this.cursor.consume('"'),
				"a double quote is expected, as in \"8e03978e-40d5-43dd-bc93-6894a57f9324\"");
		StringBuilder result = new StringBuilder();
		while (!this.cursor.atEnd()) {
			if (this.cursor.consume('"')) {
				return result.toString();
			}
			if (this.cursor.consume('\\')) {
				this.cursor.require(this.cursor.peek() == '"' || this.cursor.peek() == '\\',
						"a backslash may only precede a double quote or a backslash");
			}
			result.append(printable());
		}
		throw this.cursor.failure("the closing double quote is missing");
	}

	/** Section 4.2.3.2. */
	private void parameters() throws ParseException {
		while (this.cursor.consume(';')) {
			skipSpaces();
			key();
			if (this.cursor.consume('=')) {
				bareItem();
			}
		}
	}

	/** Section 4.2.3.3. */
	private void key() throws ParseException {
		int first = this.cursor.peek();
		this.cursor.require(TextCursor.isLowerAlpha(first) || first == '*', "a parameter's name is expected");
		this.cursor.takeWhile((c) -> TextCursor.isLowerAlpha(c) || TextCursor.isDigit(c) || "_-.*".indexOf(c) >= 0);
	}

	/** Section 4.2.3.1. */
	private void bareItem() throws ParseException {
		int first = this.cursor.peek();
		if (first == '-' || TextCursor.isDigit(first)) {
			integerOrDecimal();
		}
		else if (first == '"') {
			string();
		}
		else if (TextCursor.isAlpha(first) || first == '*') {
			// Section 4.2.6
			this.cursor.takeWhile((c) -> TextCursor.isTokenCharacter(c) || c == ':' || c == '/');
		}
		else if (this.cursor.consume(':')) {
			byteSequence();
		}
		else if (this.cursor.consume('?')) {
			this.cursor.require(this.cursor.consume('0') || this.cursor.consume('1'), "a boolean is expected");
		}
		else if (this.cursor.consume('@')) {
			this.cursor.require(integerOrDecimal(), "a date is a whole number");
		}
		else if (this.cursor.consume('%')) {
			displayString();
		}
		else {
			throw this.cursor.failure("a parameter's value is expected");
		}
	}

	/**
	 * Section 4.2.4.
	 * @return whether it is an integer
	 */
	private boolean integerOrDecimal() throws ParseException {
		this.cursor.consume('-');
		int whole = this.cursor.takeWhile(TextCursor::isDigit).length();
		if (!this.cursor.consume('.')) {
			this.cursor.require(whole >= 1 && whole <= 15, "an integer has 1 to 15 digits");
			return true;
		}
		int fraction = this.cursor.takeWhile(TextCursor::isDigit).length();
		this.cursor.require(whole >= 1 && whole <= 12 && fraction >= 1 && fraction <= 3,
				"a decimal has 1 to 12 digits before the point and 1 to 3 after it");
		return false;
	}

	/** Section 4.2.7. */
	private void byteSequence() throws ParseException {
		String content = this.cursor.takeWhile((c) -> c != ':');
		this.cursor.require(this.cursor.consume(':'), "the closing colon of a byte sequence is missing");
		try {
			Base64.getDecoder().decode(content);
		}
		catch (IllegalArgumentException ex) {
			throw this.cursor.failure("a byte sequence is base64");
		}
	}

	/** Section 4.2.10. */
	private void displayString() throws ParseException {
		this.cursor.require(this.cursor.consume('"'), "the opening double quote of a display string is missing");
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		while (!this.cursor.consume('"')) {
			this.cursor.require(!this.cursor.atEnd(), "the closing double quote of a display string is missing");
			bytes.write(this.cursor.consume('%') ? (hexDigit() << 4) | hexDigit() : printable());
		}
		try {
			StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.toByteArray()));
		}
		catch (CharacterCodingException ex) {
			throw this.cursor.failure("a display string is UTF-8");
		}
	}

	private int hexDigit() throws ParseException {
		int digit = "0123456789abcdef".indexOf(this.cursor.peek());
		this.cursor.require(digit >= 0, "two lower case hexadecimal digits are expected");
		this.cursor.next();
		return digit;
	}

	private char printable() throws ParseException {
		this.cursor.require(TextCursor.isPrintable(this.cursor.peek()), "only printable ASCII characters are allowed");
		return this.cursor.next();
	}

	// Section 4.2 discards SP only, not other white space
	private void skipSpaces() {
		this.cursor.takeWhile((c) -> c == ' ');
	}

}
