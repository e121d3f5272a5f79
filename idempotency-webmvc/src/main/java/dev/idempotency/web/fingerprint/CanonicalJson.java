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

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A writer of JSON documents (RFC 8259) with a form in which two documents have the same
 * bytes if and only if they mean the same.
 * <p>
 * Each value is a kind byte and its content. Members are written one after the other as
 * they come; at the end of an object they are sorted by name and replaced by their
 * digest. Each byte is therefore hashed only once, however deep it is nested.
 * <p>
 * The bytes of a document become the bytes of its form without a tree, tokens or strings
 * in between. What is accepted is part of the fingerprint, which is stored, so it is
 * decided here and not by the defaults of a parser's next version.
 */
final class CanonicalJson {

	private static final int MAX_DEPTH = 500;

	private static final int MAX_DIGITS = 1_000;

	private final @Nullable Exclusions exclusions;

	CanonicalJson(Collection<String> excludedPointers) {
		this.exclusions = excludedPointers.isEmpty() ? null : Exclusions.of(excludedPointers);
	}

	/**
	 * Writes a document.
	 * @param content the document, with or without a byte order mark
	 * @param out the target, behind which a part of the document may remain
	 * @param digest digests objects; it has to be reset, and is reset if the result is
	 * {@code true}
	 * @return {@code false} if the document has no single meaning: it is not UTF-8 or not
	 * well-formed, has something after it, has two members of one name, is nested more
	 * than 500 deep or has a number of more than 1000 digits
	 */
	boolean write(byte[] content, CanonicalBuffer out, MessageDigest digest) {
		try {
			new Document(content, out, digest).write(this.exclusions);
			return true;
		}
		catch (NoSingleMeaningException ex) {
			return false;
		}
	}

	/**
	 * One document and the position up to which it was read.
	 */
	private static final class Document {

		private static final int END = -1;

		/**
		 * Number of digits that always fit into a {@code long}.
		 */
		private static final int SHORT = 18;

		private final byte[] text;

		private int at;

		private int depth;

		private final CanonicalBuffer out;

		private final MessageDigest digest;

		/**
		 * The members of all open objects, with the innermost object's at the end. They
		 * are used again, since a document may have many small objects.
		 */
		private @Nullable Member[] members = new Member[8];

		private int open;

		private final byte[] spelling = new byte[SHORT + 6];

		Document(byte[] text, CanonicalBuffer out, MessageDigest digest) {
			this.text = text;
			this.out = out;
			this.digest = digest;
		}

		void write(@Nullable Exclusions exclusions) {
			// RFC 8259, section 8.1: a parser may ignore a byte order mark, and Spring's
			// converters do
			if (take((byte) 0xEF)) {
				require(take((byte) 0xBB) && take((byte) 0xBF));
			}
			value(exclusions);
			skipSpace();
			require(next() == END);
		}

		private void value(@Nullable Exclusions exclusions) {
			skipSpace();
			switch (next()) {
				case '{' -> object(exclusions);
				case '[' -> array(exclusions);
				case '"' -> {
					this.out.put('s');
					string();
				}
				case 't' -> literal("true");
				case 'f' -> literal("false");
				case 'n' -> literal("null");
				default -> {
					this.out.put('d');
					number();
				}
			}
		}

		private void literal(String name) {
			for (int i = 0; i < name.length(); i++) {
				require(take(name.charAt(i)));
			}
			this.out.put(name.charAt(0));
		}

		/**
		 * Writes a string as {@link CanonicalBuffer#putText} does. What needs no change
		 * is copied at once.
		 */
		private void string() {
			require(take('"'));
			int length = this.out.beginText();
			int units = 0;
			while (true) {
				int start = this.at;
				int end = start;
				while (end < this.text.length && isPlain(this.text[end])) {
					end++;
				}
				this.out.putRaw(this.text, start, end - start);
				this.at = end;
				units += end - start;
				if (take('"')) {
					this.out.endText(length, units);
					return;
				}
				int character = take('\\') ? escaped() : beyondAscii();
				if (Character.isBmpCodePoint(character)) {
					this.out.putUnit((char) character);
					units++;
				}
				else {
					this.out.putUnit(Character.highSurrogate(character));
					this.out.putUnit(Character.lowSurrogate(character));
					units += 2;
				}
			}
		}

		/**
		 * Returns whether a byte is an ASCII character other than a control character, a
		 * quote or a backslash. All others are negative.
		 */
		private static boolean isPlain(byte character) {
			return character >= ' ' && character != '"' && character != '\\';
		}

		private int escaped() {
			int character = next();
			this.at++;
			return switch (character) {
				case '"', '\\', '/' -> character;
				case 'b' -> '\b';
				case 'f' -> '\f';
				case 'n' -> '\n';
				case 'r' -> '\r';
				case 't' -> '\t';
				case 'u' -> hexadecimal();
				default -> throw new NoSingleMeaningException();
			};
		}

		private int hexadecimal() {
			int unit = 0;
			for (int i = 0; i < 4; i++) {
				int digit = Character.digit(next(), 16);
				require(digit >= 0);
				unit = unit << 4 | digit;
				this.at++;
			}
			return unit;
		}

		/**
		 * Reads a character of two to four bytes (RFC 3629, section 3).
		 */
		private int beyondAscii() {
			int first = next();
			require(first >= 0xC0 && first < 0xF8);
			int more = (first < 0xE0) ? 1 : (first < 0xF0) ? 2 : 3;
			int character = first & (0x3F >> more);
			for (int i = 0; i < more; i++) {
				this.at++;
				int following = next();
				require((following & 0xC0) == 0x80 && following != END);
				character = character << 6 | following & 0x3F;
			}
			this.at++;
			int least = (more == 1) ? 0x80 : (more == 2) ? 0x800 : Character.MIN_SUPPLEMENTARY_CODE_POINT;
			require(character >= least && character <= Character.MAX_CODE_POINT
					&& (character < Character.MIN_SURROGATE || character > Character.MAX_SURROGATE));
			return character;
		}

		/**
		 * Writes the canonical spelling of a number. Most numbers are short and have no
		 * exponent, and need no strings in between.
		 */
		private void number() {
			int start = this.at;
			take('-');
			// Only a zero begins with one, and it does not count
			int digits = take('0') ? 0 : digits();
			boolean plain = true;
			if (take('.')) {
				digits += digits();
			}
			if (take('e') || take('E')) {
				plain = false;
				if (!take('-')) {
					take('+');
				}
				digits += digits();
			}
			require(digits <= MAX_DIGITS);
			if (plain && digits <= SHORT) {
				shortNumber(start);
			}
			else {
				this.out
					.putText(canonicalNumber(new String(this.text, start, this.at - start, StandardCharsets.US_ASCII)));
			}
		}

		/**
		 * Reads digits.
		 * @return their number, at least one
		 */
		private int digits() {
			int start = this.at;
			while (next() >= '0' && next() <= '9') {
				this.at++;
			}
			require(this.at > start);
			return this.at - start;
		}

		/**
		 * Writes the number before the current position, which has no exponent and whose
		 * digits fit into a {@code long}, from the end of its spelling to the beginning.
		 */
		private void shortNumber(int start) {
			long digits = 0;
			int power = 0;
			boolean fraction = false;
			for (int i = start; i < this.at; i++) {
				byte character = this.text[i];
				if (character == '.') {
					fraction = true;
				}
				else if (character != '-') {
					digits = digits * 10 + (character - '0');
					power -= fraction ? 1 : 0;
				}
			}
			while (digits != 0 && digits % 10 == 0) {
				digits /= 10;
				power++;
			}
			int place = this.spelling.length;
			if (digits == 0) {
				this.spelling[--place] = '0';
			}
			else {
				place = putDigits(place, Math.abs(power));
				if (power < 0) {
					this.spelling[--place] = '-';
				}
				this.spelling[--place] = 'e';
				place = putDigits(place, digits);
				if (this.text[start] == '-') {
					this.spelling[--place] = '-';
				}
			}
			this.out.putInt(this.spelling.length - place);
			this.out.putRaw(this.spelling, place, this.spelling.length - place);
		}

		private int putDigits(int end, long digits) {
			int place = end;
			for (long rest = digits; rest != 0 || place == end; rest /= 10) {
				this.spelling[--place] = (byte) ('0' + rest % 10);
			}
			return place;
		}

		/**
		 * Returns the canonical spelling of a number (RFC 8259, section 6), exact and
		 * without writing the number out, as {@code 1e1000000000} costs no more than
		 * {@code 1}: {@code 0}, or sign, digits that neither begin nor end with zero,
		 * {@code e}, and the power of ten of the last digit.
		 */
		private static String canonicalNumber(String number) {
			int start = (number.charAt(0) == '-') ? 1 : 0;
			int exponentMark = Math.max(number.indexOf('e'), number.indexOf('E'));
			int end = (exponentMark < 0) ? number.length() : exponentMark;
			int point = number.indexOf('.');
			String digits = (point < 0) ? number.substring(start, end)
					: number.substring(start, point) + number.substring(point + 1, end);
			int last = digits.length();
			while (last > 0 && digits.charAt(last - 1) == '0') {
				last--;
			}
			if (last == 0) {
				return "0";
			}
			int first = 0;
			while (digits.charAt(first) == '0') {
				first++;
			}
			int fraction = (point < 0) ? 0 : end - point - 1;
			int power = digits.length() - last - fraction;
			String exponent = (exponentMark < 0) ? Integer.toString(power)
					: new BigInteger(number.substring(exponentMark + 1)).add(BigInteger.valueOf(power)).toString();
			return ((start == 1) ? "-" : "") + digits.substring(first, last) + 'e' + exponent;
		}

		private void array(@Nullable Exclusions exclusions) {
			begin('[');
			this.out.put('[');
			if (!takeNext(']')) {
				int index = 0;
				do {
					Exclusions element = (exclusions != null) ? exclusions.element(index) : null;
					int start = this.out.size();
					value(element);
					if (element != null && element.isExcluded()) {
						this.out.truncate(start);
					}
					index++;
				}
				while (takeNext(','));
				require(take(']'));
			}
			this.out.put(']');
			this.depth--;
		}

		private void object(@Nullable Exclusions exclusions) {
			begin('{');
			int start = this.out.size();
			int first = this.open;
			if (!takeNext('}')) {
				do {
					member(exclusions);
				}
				while (takeNext(','));
				require(take('}'));
			}
			digestMembers(first);
			this.out.truncate(start);
			this.out.put('{');
			this.out.putDigest(this.digest);
			this.depth--;
		}

		private void begin(char bracket) {
			require(take(bracket) && this.depth < MAX_DEPTH);
			this.depth++;
		}

		private void member(@Nullable Exclusions exclusions) {
			Member member = openMember();
			member.start = this.out.size();
			skipSpace();
			string();
			member.nameEnd = this.out.size();
			Exclusions excluded = (exclusions != null)
					? exclusions.member(this.out.textBetween(member.start, member.nameEnd)) : null;
			require(takeNext(':'));
			value(excluded);
			member.end = this.out.size();
			if (excluded != null && excluded.isExcluded()) {
				// Its name stays in the list: twice is twice, excluded or not
				this.out.truncate(member.nameEnd);
				member.end = member.start;
			}
		}

		private Member openMember() {
			if (this.open == this.members.length) {
				this.members = Arrays.copyOf(this.members, 2 * this.open);
			}
			Member member = this.members[this.open];
			if (member == null) {
				member = new Member();
				this.members[this.open] = member;
			}
			this.open++;
			return member;
		}

		private void digestMembers(int first) {
			Arrays.sort(this.members, first, this.open);
			for (int i = first; i < this.open; i++) {
				this.out.update(this.digest, this.members[i].start, this.members[i].end);
			}
			this.open = first;
		}

		private void skipSpace() {
			for (int next = next(); next == ' ' || next == '\n' || next == '\r' || next == '\t'; next = next()) {
				this.at++;
			}
		}

		/**
		 * Takes a character behind white space.
		 * @return {@code false} if another one is there
		 */
		private boolean takeNext(char character) {
			skipSpace();
			return take(character);
		}

		private boolean take(int character) {
			boolean found = next() == (character & 0xFF);
			this.at += found ? 1 : 0;
			return found;
		}

		/**
		 * Returns the byte at the current position, or {@link #END}.
		 */
		private int next() {
			return (this.at < this.text.length) ? this.text[this.at] & 0xFF : END;
		}

		private static void require(boolean condition) {
			if (!condition) {
				throw new NoSingleMeaningException();
			}
		}

		/**
		 * A member, with the positions of its name and value. Names are in the order of
		 * their UTF-16 code units, which the order of their bytes is as well.
		 */
		private final class Member implements Comparable<Member> {

			private int start;

			private int nameEnd;

			private int end;

			/**
			 * Compares the names. Two members of one name have no order.
			 */
			@Override
			public int compareTo(Member other) {
				int order = Document.this.out.compareTexts(this.start, this.nameEnd, other.start, other.nameEnd);
				require(order != 0);
				return order;
			}

		}

	}

	/**
	 * Signals a document that two readers may understand differently, or not at all.
	 */
	private static final class NoSingleMeaningException extends RuntimeException {

		private NoSingleMeaningException() {
			super(null, null, false, false);
		}

	}

	/**
	 * JSON pointers (RFC 6901) to values excluded from a comparison, as a tree that is
	 * walked along with the document.
	 */
	private static final class Exclusions {

		private final Map<String, Exclusions> children = new HashMap<>();

		private boolean excluded;

		private Exclusions() {
		}

		/**
		 * Reads the pointers.
		 * @param pointers the pointers in their string representation (RFC 6901, section
		 * 5)
		 * @return the root of the tree
		 * @throws IllegalArgumentException if one of them is not a pointer, or points to
		 * the whole document
		 */
		static Exclusions of(Collection<String> pointers) {
			Exclusions root = new Exclusions();
			for (String pointer : pointers) {
				root.add(pointer);
			}
			return root;
		}

		private void add(String pointer) {
			if (pointer.isEmpty()) {
				throw invalid(pointer, "it would exclude the whole body; name a member, such as '/requestedAt'");
			}
			if (pointer.charAt(0) != '/') {
				throw invalid(pointer, "it must begin with '/', as in '/requestedAt' or '/items/0/note'");
			}
			Exclusions node = this;
			for (String token : pointer.substring(1).split("/", -1)) {
				node = node.children.computeIfAbsent(unescape(pointer, token), (name) -> new Exclusions());
			}
			node.excluded = true;
		}

		// Section 4: ~1 before ~0, so that ~01 becomes ~1 and not a slash
		private static String unescape(String pointer, String token) {
			for (int i = token.indexOf('~'); i >= 0; i = token.indexOf('~', i + 1)) {
				if (i + 1 == token.length() || "01".indexOf(token.charAt(i + 1)) < 0) {
					throw invalid(pointer, "write '~0' for '~' and '~1' for a '/' inside a name");
				}
			}
			return token.replace("~1", "/").replace("~0", "~");
		}

		private static IllegalArgumentException invalid(String pointer, String reason) {
			return new IllegalArgumentException(
					"'" + pointer + "' cannot be excluded from the fingerprint as an RFC 6901 JSON pointer: " + reason);
		}

		/**
		 * Returns the exclusions below a member, or {@code null} if nothing is.
		 */
		@Nullable Exclusions member(String name) {
			return this.children.get(name);
		}

		/**
		 * Returns the exclusions below an array element, or {@code null} if nothing is.
		 */
		@Nullable Exclusions element(int index) {
			return this.children.isEmpty() ? null : this.children.get(Integer.toString(index));
		}

		/**
		 * Returns whether a pointer ends here.
		 */
		boolean isExcluded() {
			return this.excluded;
		}

	}

}
