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
import java.util.function.IntPredicate;

/**
 * A position in the text of a header field. Failures name the expectation and the
 * position, never the text, which may be a secret.
 */
public final class TextCursor {

	/**
	 * The value that {@link #peek()} returns at the end.
	 */
	static final int END = -1;

	private final String text;

	private int position;

	public TextCursor(String text) {
		this.text = text;
	}

	public boolean atEnd() {
		return this.position >= this.text.length();
	}

	public int peek() {
		return atEnd() ? END : this.text.charAt(this.position);
	}

	public char next() {
		return this.text.charAt(this.position++);
	}

	/**
	 * Moves past the given character if it comes next.
	 */
	public boolean consume(char expected) {
		if (peek() != expected) {
			return false;
		}
		this.position++;
		return true;
	}

	/**
	 * Moves past all characters that match, and returns them.
	 */
	public String takeWhile(IntPredicate matching) {
		int start = this.position;
		while (!atEnd() && matching.test(peek())) {
			this.position++;
		}
		return this.text.substring(start, this.position);
	}

	public void require(boolean condition, String message) throws ParseException {
		if (!condition) {
			throw failure(message);
		}
	}

	public ParseException failure(String message) {
		return new ParseException(message + " (at character " + (this.position + 1) + ")", this.position);
	}

	public static boolean isLowerAlpha(int c) {
		return c >= 'a' && c <= 'z';
	}

	public static boolean isAlpha(int c) {
		return isLowerAlpha(c) || (c >= 'A' && c <= 'Z');
	}

	public static boolean isDigit(int c) {
		return c >= '0' && c <= '9';
	}

	public static boolean isPrintable(int c) {
		return c >= 0x20 && c <= 0x7E;
	}

	/**
	 * Returns whether a character may be in a token: RFC 9110, section 5.6.2.
	 */
	public static boolean isTokenCharacter(int c) {
		return isAlpha(c) || isDigit(c) || "!#$%&'*+-.^_`|~".indexOf(c) >= 0;
	}

}
