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

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.math.BigInteger;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
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

	private static final byte[] BYTE_ORDER_MARK = { (byte) 0xEF, (byte) 0xBB, (byte) 0xBF };

	private final @Nullable Exclusions exclusions;

	CanonicalJson(Collection<String> excludedPointers) {
		this.exclusions = excludedPointers.isEmpty() ? null : Exclusions.of(excludedPointers);
	}

	/**
	 * Writes a document.
	 * @param content the document, with or without a byte order mark
	 * @param digest digests objects; it has to be reset, and is not if the result is
	 * {@code null}
	 * @return its form, {@code null} if the document has no single meaning: it is not
	 * UTF-8 or not well-formed, has something after it, has two members of one name, is
	 * nested more than 500 deep or has a number of more than 1000 digits
	 */
	@Nullable CanonicalBuffer write(byte[] content, MessageDigest digest) {
		try {
			return new Document(content, digest, this.exclusions);
		}
		catch (NoSingleMeaningException ex) {
			return null;
		}
	}

	/**
	 * The form of a document, and the position up to which the document was read.
	 */
	private static final class Document extends CanonicalBuffer {

		private static final int END = -1;

		/**
		 * A factor that repeats a byte in each byte of a number.
		 */
		private static final long EACH_BYTE = 0x0101_0101_0101_0101L;

		private static final VarHandle LONG_AT = MethodHandles.byteArrayViewVarHandle(long[].class,
				ByteOrder.nativeOrder());

		private static final byte[] TRUE = { 't', 'r', 'u', 'e' };

		private static final byte[] FALSE = { 'f', 'a', 'l', 's', 'e' };

		private static final byte[] NULL = { 'n', 'u', 'l', 'l' };

		/**
		 * Length from which on a string value is digested from where it is in the
		 * document, such as a file in Base64.
		 */
		private static final int LONG = 4096;

		private static final int LARGEST_START = 16 * 1024;

		private final byte[] text;

		private final MessageDigest digest;

		private int at;

		private int depth;

		/**
		 * The members of all open objects, with the innermost object's at the end. They
		 * are used again, since a document may have many small objects.
		 */
		private @Nullable Member[] members = new Member[8];

		private int open;

		/**
		 * The long strings within what is written, in order.
		 */
		private final List<Run> runs = new ArrayList<>(0);

		Document(byte[] text, MessageDigest digest, @Nullable Exclusions exclusions) {
			super(Math.min(text.length + 64, LARGEST_START));
			this.text = text;
			this.digest = digest;
			// RFC 8259, section 8.1: a parser may ignore a byte order mark, and Spring's
			// converters do
			this.at = (Arrays.mismatch(text, BYTE_ORDER_MARK) == BYTE_ORDER_MARK.length) ? BYTE_ORDER_MARK.length : 0;
			value(next(), exclusions);
			if (next() != END) {
				throw new NoSingleMeaningException();
			}
		}

		/**
		 * Takes the next byte that is not white space.
		 * @return the byte, or {@link #END}
		 */
		private int next() {
			while (this.at < this.text.length) {
				int next = this.text[this.at++] & 0xFF;
				if (next > ' ' || (next != ' ' && next != '\n' && next != '\r' && next != '\t')) {
					return next;
				}
			}
			return END;
		}

		private void value(int first, @Nullable Exclusions exclusions) {
			switch (first) {
				case '{', '[' -> {
					if (this.depth == MAX_DEPTH) {
						throw new NoSingleMeaningException();
					}
					this.depth++;
					if (first == '{') {
						object(exclusions);
					}
					else {
						array(exclusions);
					}
					this.depth--;
				}
				case '"' -> {
					put('s');
					string(LONG);
				}
				case 't' -> literal(TRUE);
				case 'f' -> literal(FALSE);
				case 'n' -> literal(NULL);
				case END -> throw new NoSingleMeaningException();
				default -> {
					put('d');
					number(first);
				}
			}
		}

		private void literal(byte[] name) {
			int end = this.at - 1 + name.length;
			if (end > this.text.length || !Arrays.equals(this.text, this.at - 1, end, name, 0, name.length)) {
				throw new NoSingleMeaningException();
			}
			put(name[0]);
			this.at = end;
		}

		/**
		 * Writes a string as {@link #putText} does. Most have only ASCII characters that
		 * are not escaped, which are copied at once, and looked for eight at a time: the
		 * highest bit of a byte is set in a character beyond ASCII, and after a
		 * subtraction whose result is negative.
		 * @param longest the length from which on it is not copied
		 */
		private void string(int longest) {
			int end = this.at;
			for (; end <= this.text.length - Long.BYTES; end += Long.BYTES) {
				long eight = (long) LONG_AT.get(this.text, end);
				long control = eight - ' ' * EACH_BYTE;
				long quote = (eight ^ '"' * EACH_BYTE) - EACH_BYTE;
				long backslash = (eight ^ '\\' * EACH_BYTE) - EACH_BYTE;
				if (((eight | control | quote | backslash) & 0x80 * EACH_BYTE) != 0) {
					break;
				}
			}
			while (end < this.text.length && this.text[end] >= ' ' && this.text[end] != '"' && this.text[end] != '\\') {
				end++;
			}
			if (end == this.text.length || this.text[end] != '"') {
				anyString();
				return;
			}
			if (end - this.at < longest) {
				putBytes(this.text, this.at, end - this.at);
			}
			else {
				putInt(end - this.at);
				this.runs.add(new Run(this.size, this.at, end));
			}
			this.at = end + 1;
		}

		private void anyString() {
			reserve(this.text.length - this.at);
			int start = this.size;
			putInt(0);
			int length = 0;
			for (int next = take(); next != '"'; next = take()) {
				if (next >= ' ' && next < 0x80 && next != '\\') {
					put(next);
					length++;
				}
				else {
					length += putCharacter((next == '\\') ? escaped() : beyondAscii(next));
				}
			}
			setInt(start, length);
		}

		/**
		 * Takes the next byte.
		 * @return the byte, or {@link #END}
		 */
		private int take() {
			return (this.at < this.text.length) ? this.text[this.at++] & 0xFF : END;
		}

		private int escaped() {
			int character = take();
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
				int digit = Character.digit(take(), 16);
				if (digit < 0) {
					throw new NoSingleMeaningException();
				}
				unit = unit << 4 | digit;
			}
			return unit;
		}

		/**
		 * Reads a character of two to four bytes (RFC 3629, section 3).
		 */
		private int beyondAscii(int first) {
			if (first < 0xC0 || first >= 0xF8) {
				throw new NoSingleMeaningException();
			}
			int more = (first < 0xE0) ? 1 : (first < 0xF0) ? 2 : 3;
			int character = first & (0x3F >> more);
			for (int i = 0; i < more; i++) {
				int following = take();
				if (following < 0x80 || following >= 0xC0) {
					throw new NoSingleMeaningException();
				}
				character = character << 6 | following & 0x3F;
			}
			int least = (more == 1) ? 0x80 : (more == 2) ? 0x800 : Character.MIN_SUPPLEMENTARY_CODE_POINT;
			if (character < least || character > Character.MAX_CODE_POINT
					|| (character >= Character.MIN_SURROGATE && character <= Character.MAX_SURROGATE)) {
				throw new NoSingleMeaningException();
			}
			return character;
		}

		/**
		 * Writes the canonical spelling of a number (RFC 8259, section 6), exact and
		 * without writing the number out, as {@code 1e1000000000} costs no more than
		 * {@code 1}: {@code 0}, or sign, digits that neither begin nor end with zero,
		 * {@code e}, and the power of ten of the last digit.
		 */
		private void number(int sign) {
			boolean negative = (sign == '-');
			this.at -= negative ? 0 : 1;
			int first = this.at;
			// Only a zero begins with one, and it does not count
			int whole = take('0') ? 0 : digits();
			int fraction = take('.') ? digits() : 0;
			int end = this.at;
			int exponent = take('e') ? exponent() : 0;
			if (whole + fraction + exponent > MAX_DIGITS) {
				throw new NoSingleMeaningException();
			}
			// Length, sign, digits, and a short power
			reserve(Integer.BYTES + 1 + (end - first) + 3);
			int start = this.size;
			this.size += Integer.BYTES;
			if (negative) {
				this.bytes[this.size++] = '-';
			}
			int zeros = putSignificant(first, end);
			if (zeros < 0) {
				this.size = start + Integer.BYTES;
				this.bytes[this.size++] = '0';
			}
			else {
				this.bytes[this.size++] = 'e';
				int power = zeros - fraction;
				if (exponent == 0 && power > -10 && power < 10) {
					if (power < 0) {
						this.bytes[this.size++] = '-';
					}
					this.bytes[this.size++] = (byte) ('0' + Math.abs(power));
				}
				else {
					putPower(power, (exponent > 0) ? end + 1 : this.at);
				}
			}
			setInt(start, this.size - start - Integer.BYTES);
		}

		/**
		 * Writes the digits from the first to the last that is not zero, for which there
		 * is room.
		 * @return the number of zeros behind them, negative if there are only zeros
		 */
		private int putSignificant(int first, int end) {
			int zeros = -1;
			for (int i = first; i < end; i++) {
				if (this.text[i] == '0') {
					zeros += (zeros < 0) ? 0 : 1;
				}
				else if (this.text[i] != '.') {
					for (; zeros > 0; zeros--) {
						this.bytes[this.size++] = '0';
					}
					this.bytes[this.size++] = this.text[i];
					zeros = 0;
				}
			}
			return zeros;
		}

		/**
		 * Writes the sum of a power and the exponent that was read last, if there is one.
		 */
		private void putPower(int power, int exponent) {
			BigInteger sum = BigInteger.valueOf(power);
			if (exponent < this.at) {
				sum = sum.add(
						new BigInteger(new String(this.text, exponent, this.at - exponent, StandardCharsets.US_ASCII)));
			}
			byte[] spelling = sum.toString().getBytes(StandardCharsets.US_ASCII);
			putRaw(spelling, 0, spelling.length);
		}

		private int exponent() {
			if (!take('-')) {
				take('+');
			}
			return digits();
		}

		/**
		 * Takes a character, or the letter in upper case.
		 */
		private boolean take(char character) {
			boolean found = this.at < this.text.length
					&& (this.text[this.at] == character || (character == 'e' && this.text[this.at] == 'E'));
			this.at += found ? 1 : 0;
			return found;
		}

		/**
		 * Takes digits.
		 * @return their number, at least one
		 */
		private int digits() {
			int start = this.at;
			while (this.at < this.text.length && this.text[this.at] >= '0' && this.text[this.at] <= '9') {
				this.at++;
			}
			if (this.at == start) {
				throw new NoSingleMeaningException();
			}
			return this.at - start;
		}

		private void array(@Nullable Exclusions exclusions) {
			put('[');
			int next = next();
			boolean more = (next != ']');
			for (int index = 0; more; index++) {
				Exclusions element = (exclusions != null) ? exclusions.element(index) : null;
				int start = this.size;
				int firstRun = this.runs.size();
				value(next, element);
				if (element != null && element.isExcluded()) {
					truncate(start, firstRun);
				}
				next = next();
				more = (next == ',');
				next = more ? next() : next;
			}
			if (next != ']') {
				throw new NoSingleMeaningException();
			}
			put(']');
		}

		private void object(@Nullable Exclusions exclusions) {
			int start = this.size;
			int firstRun = this.runs.size();
			int first = this.open;
			int next = next();
			boolean more = (next != '}');
			while (more) {
				member(next, exclusions);
				next = next();
				more = (next == ',');
				next = more ? next() : next;
			}
			if (next != '}') {
				throw new NoSingleMeaningException();
			}
			digestMembers(first);
			truncate(start, firstRun);
			put('{');
			putDigest(this.digest);
		}

		private void member(int quote, @Nullable Exclusions exclusions) {
			if (quote != '"') {
				throw new NoSingleMeaningException();
			}
			if (this.open == this.members.length) {
				this.members = Arrays.copyOf(this.members, 2 * this.open);
			}
			Member member = this.members[this.open];
			if (member == null) {
				member = new Member();
				this.members[this.open] = member;
			}
			this.open++;
			member.start = this.size;
			member.firstRun = this.runs.size();
			string(Integer.MAX_VALUE);
			member.nameEnd = this.size;
			Exclusions excluded = (exclusions != null) ? exclusions.member(text(member.start)) : null;
			if (next() != ':') {
				throw new NoSingleMeaningException();
			}
			value(next(), excluded);
			member.end = this.size;
			if (excluded != null && excluded.isExcluded()) {
				// Its name stays: twice is twice, excluded or not
				truncate(member.nameEnd, member.firstRun);
				member.end = member.start;
			}
		}

		private void digestMembers(int first) {
			Arrays.sort(this.members, first, this.open);
			for (int i = first; i < this.open; i++) {
				Member member = this.members[i];
				update(this.digest, member.start, member.end, member.firstRun);
			}
			this.open = first;
		}

		@Override
		void update(MessageDigest digest) {
			update(digest, 0, this.size, 0);
		}

		private void update(MessageDigest digest, int start, int end, int firstRun) {
			int from = start;
			for (int i = firstRun; i < this.runs.size() && this.runs.get(i).place <= end; i++) {
				Run run = this.runs.get(i);
				digest.update(this.bytes, from, run.place - from);
				digest.update(this.text, run.start, run.end - run.start);
				from = run.place;
			}
			digest.update(this.bytes, from, end - from);
		}

		private void truncate(int size, int firstRun) {
			this.size = size;
			if (firstRun < this.runs.size()) {
				this.runs.subList(firstRun, this.runs.size()).clear();
			}
		}

		/**
		 * A string that belongs at a place of the form, with its position in the
		 * document.
		 */
		private record Run(int place, int start, int end) {

		}

		/**
		 * A member, with the positions of its name and value.
		 */
		private final class Member implements Comparable<Member> {

			private int start;

			private int nameEnd;

			private int end;

			private int firstRun;

			/**
			 * Compares the names: the order of their bytes is the order of their UTF-16
			 * code units. Two members of one name have no order.
			 */
			@Override
			public int compareTo(Member other) {
				int order = Arrays.compareUnsigned(Document.this.bytes, this.start + Integer.BYTES, this.nameEnd,
						Document.this.bytes, other.start + Integer.BYTES, other.nameEnd);
				if (order == 0) {
					throw new NoSingleMeaningException();
				}
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
