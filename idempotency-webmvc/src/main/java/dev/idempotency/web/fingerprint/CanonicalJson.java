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
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.core.json.JsonFactory;

/**
 * A writer of JSON documents (RFC 8259) with a form in which two documents have the same
 * bytes if and only if they mean the same.
 * <p>
 * Each value is a kind byte and its content. Members are written one after the other as
 * they come; at the end of an object they are sorted by name and replaced by their
 * digest. Each byte is therefore hashed only once, however deep it is nested, and no tree
 * is built.
 */
final class CanonicalJson {

	// Part of the fingerprint, which is stored: independent of the defaults of a later
	// Jackson
	private static final StreamReadConstraints CONSTRAINTS = StreamReadConstraints.builder()
		.maxNestingDepth(500)
		.maxNumberLength(1_000)
		.maxNameLength(Integer.MAX_VALUE)
		.maxStringLength(Integer.MAX_VALUE)
		.build();

	/**
	 * Size of documents in bytes from which on the names of members likely repeat.
	 */
	private static final int LARGE = 4096;

	/**
	 * Parses small documents. Names from requests must not stay in a table that outlives
	 * the request.
	 */
	private final JsonFactory small = JsonFactory.builder()
		.streamReadConstraints(CONSTRAINTS)
		.disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
		.build();

	private final @Nullable Exclusions exclusions;

	CanonicalJson(Collection<String> excludedPointers) {
		this.exclusions = excludedPointers.isEmpty() ? null : Exclusions.of(excludedPointers);
	}

	/**
	 * Returns the factory for a document. A large one has its own, so that each name is
	 * one string in it, and none outlives it. Names that are made to collide are not an
	 * error, but read without the table.
	 */
	private JsonFactory factory(int size) {
		return (size < LARGE) ? this.small
				: JsonFactory.builder()
					.streamReadConstraints(CONSTRAINTS)
					.disable(TokenStreamFactory.Feature.INTERN_PROPERTY_NAMES)
					.disable(TokenStreamFactory.Feature.FAIL_ON_SYMBOL_HASH_OVERFLOW)
					.build();
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
			CharBuffer text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content));
			// RFC 8259, section 8.1: a parser may ignore a byte order mark, and Spring's
			// converters do
			if (text.hasRemaining() && text.get(text.position()) == '\uFEFF') {
				text.get();
			}
			try (JsonParser parser = factory(content.length).createParser(ObjectReadContext.empty(), text.array(),
					text.arrayOffset() + text.position(), text.remaining())) {
				out.reserve(content.length + 64);
				new Writer(parser, out, digest).document(this.exclusions);
				return true;
			}
		}
		catch (CharacterCodingException | JacksonException ex) {
			return false;
		}
	}

	private static final class Writer {

		/**
		 * Number of digits that always fit into a {@code long}.
		 */
		private static final int SHORT = 18;

		private final JsonParser parser;

		private final CanonicalBuffer out;

		private final MessageDigest digest;

		/**
		 * The members of all open objects, with the innermost object's at the end. They
		 * are used again, since a document may have many small objects.
		 */
		private @Nullable Member[] members = new Member[16];

		private int open;

		private final char[] spelling = new char[SHORT + 6];

		Writer(JsonParser parser, CanonicalBuffer out, MessageDigest digest) {
			this.parser = parser;
			this.out = out;
			this.digest = digest;
		}

		void document(@Nullable Exclusions exclusions) {
			value(this.parser.nextToken(), exclusions);
			if (this.parser.nextToken() != null) {
				throw new StreamReadException(this.parser, "More than one value");
			}
		}

		private void value(@Nullable JsonToken token, @Nullable Exclusions exclusions) {
			if (token == null) {
				throw new StreamReadException(this.parser, "No value");
			}
			switch (token) {
				case START_OBJECT -> object(exclusions);
				case START_ARRAY -> array(exclusions);
				case VALUE_STRING -> {
					this.out.put('s');
					text();
				}
				case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> {
					this.out.put('d');
					number();
				}
				case VALUE_TRUE -> this.out.put('t');
				case VALUE_FALSE -> this.out.put('f');
				case VALUE_NULL -> this.out.put('n');
				default -> throw new StreamReadException(this.parser, "Not JSON");
			}
		}

		/**
		 * Writes the current string or name without making an object of it.
		 */
		private void text() {
			this.out.putText(this.parser.getStringCharacters(), this.parser.getStringOffset(),
					this.parser.getStringLength());
		}

		/**
		 * Writes the canonical spelling of the current number. Most numbers are short and
		 * have no exponent, and need no strings in between.
		 */
		private void number() {
			if (this.parser.getStringLength() > SHORT || !shortNumber(this.parser.getStringCharacters(),
					this.parser.getStringOffset(), this.parser.getStringLength())) {
				this.out.putText(canonicalNumber(this.parser.getString()));
			}
		}

		/**
		 * Writes a number whose digits fit into a {@code long}, from the end of its
		 * spelling to the beginning.
		 * @return {@code false} if it has an exponent
		 */
		private boolean shortNumber(char[] text, int offset, int length) {
			long digits = 0;
			int power = 0;
			boolean fraction = false;
			for (int i = offset; i < offset + length; i++) {
				char c = text[i];
				if (c >= '0' && c <= '9') {
					digits = digits * 10 + (c - '0');
					power -= fraction ? 1 : 0;
				}
				else if (c == '.') {
					fraction = true;
				}
				else if (c != '-') {
					return false;
				}
			}
			while (digits != 0 && digits % 10 == 0) {
				digits /= 10;
				power++;
			}
			char[] target = this.spelling;
			int at = target.length;
			if (digits == 0) {
				target[--at] = '0';
			}
			else {
				at = putDigits(target, at, Math.abs(power));
				if (power < 0) {
					target[--at] = '-';
				}
				target[--at] = 'e';
				at = putDigits(target, at, digits);
				if (text[offset] == '-') {
					target[--at] = '-';
				}
			}
			this.out.putText(target, at, target.length - at);
			return true;
		}

		private static int putDigits(char[] target, int end, long digits) {
			int at = end;
			for (long rest = digits; rest != 0 || at == end; rest /= 10) {
				target[--at] = (char) ('0' + rest % 10);
			}
			return at;
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
			this.out.put('[');
			int index = 0;
			for (JsonToken token = this.parser.nextToken(); token != JsonToken.END_ARRAY; token = this.parser
				.nextToken()) {
				Exclusions element = (exclusions != null) ? exclusions.element(index) : null;
				int start = this.out.size();
				value(token, element);
				if (element != null && element.isExcluded()) {
					this.out.truncate(start);
				}
				index++;
			}
			this.out.put(']');
		}

		private void object(@Nullable Exclusions exclusions) {
			int objectStart = this.out.size();
			int end = objectStart;
			int first = this.open;
			while (this.parser.nextToken() == JsonToken.PROPERTY_NAME) {
				Member member = openMember(this.parser.currentName(), end);
				Exclusions excluded = (exclusions != null) ? exclusions.member(member.name) : null;
				text();
				value(this.parser.nextToken(), excluded);
				if (excluded != null && excluded.isExcluded()) {
					// Its name stays in the list: twice is twice, excluded or not
					this.out.truncate(member.start);
				}
				end = this.out.size();
				member.end = end;
			}
			if (this.parser.currentToken() != JsonToken.END_OBJECT) {
				throw new StreamReadException(this.parser, "Not JSON");
			}
			digestMembers(first);
			this.out.truncate(objectStart);
			this.out.put('{');
			this.out.putDigest(this.digest);
		}

		private Member openMember(String name, int start) {
			if (this.open == this.members.length) {
				this.members = Arrays.copyOf(this.members, 2 * this.open);
			}
			Member member = this.members[this.open];
			if (member == null) {
				member = new Member();
				this.members[this.open] = member;
			}
			member.name = name;
			member.start = start;
			this.open++;
			return member;
		}

		private void digestMembers(int first) {
			Arrays.sort(this.members, first, this.open);
			String previous = null;
			for (int i = first; i < this.open; i++) {
				Member member = this.members[i];
				if (member.name.equals(previous)) {
					throw new StreamReadException(this.parser, "Two members of one name");
				}
				previous = member.name;
				this.out.update(this.digest, member.start, member.end);
			}
			this.open = first;
		}

	}

	/**
	 * A member, with the position of its name and value.
	 */
	private static final class Member implements Comparable<Member> {

		private String name = "";

		private int start;

		private int end;

		@Override
		public int compareTo(Member other) {
			return this.name.compareTo(other.name);
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
