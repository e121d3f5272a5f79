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

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

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

	private final JsonFactory factory;

	private final JsonExclusions exclusions;

	CanonicalJson(Collection<String> excludedPointers) {
		// Names from requests must not stay in a table that outlives the request
		this.factory = JsonFactory.builder()
			.streamReadConstraints(CONSTRAINTS)
			.disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
			.build();
		this.exclusions = JsonExclusions.of(excludedPointers);
	}

	/**
	 * Writes a document, or returns {@code null} if it has no single meaning: it is not
	 * UTF-8 or not well-formed, has something after it, has two members of one name, is
	 * nested more than 500 deep or has a number of more than 1000 digits.
	 * @param content the document, with or without a byte order mark
	 * @param digest digests objects; it has to be reset, and is reset afterwards
	 */
	@Nullable CanonicalBuffer write(byte[] content, MessageDigest digest) {
		try {
			CharBuffer text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content));
			// RFC 8259, section 8.1: a parser may ignore a byte order mark, and Spring's
			// converters do
			if (text.hasRemaining() && text.get(text.position()) == '\uFEFF') {
				text.get();
			}
			try (JsonParser parser = this.factory.createParser(ObjectReadContext.empty(), text.array(),
					text.arrayOffset() + text.position(), text.remaining())) {
				return new Writer(parser, digest, content.length).document(this.exclusions);
			}
		}
		catch (CharacterCodingException | JacksonException ex) {
			digest.reset();
			return null;
		}
	}

	private static final class Writer {

		private final JsonParser parser;

		private final MessageDigest digest;

		private final CanonicalBuffer out;

		Writer(JsonParser parser, MessageDigest digest, int size) {
			this.parser = parser;
			this.digest = digest;
			this.out = new CanonicalBuffer(size + 64);
		}

		CanonicalBuffer document(JsonExclusions exclusions) {
			value(this.parser.nextToken(), exclusions);
			if (this.parser.nextToken() != null) {
				throw new StreamReadException(this.parser, "More than one value");
			}
			return this.out;
		}

		private void value(@Nullable JsonToken token, @Nullable JsonExclusions exclusions) {
			if (token == null) {
				throw new StreamReadException(this.parser, "No value");
			}
			switch (token) {
				case START_OBJECT -> object(exclusions);
				case START_ARRAY -> array(exclusions);
				case VALUE_STRING -> {
					this.out.put('s');
					this.out.putText(this.parser.getStringCharacters(), this.parser.getStringOffset(),
							this.parser.getStringLength());
				}
				case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> {
					this.out.put('d');
					this.out.putText(CanonicalNumber.of(this.parser.getString()));
				}
				case VALUE_TRUE -> this.out.put('t');
				case VALUE_FALSE -> this.out.put('f');
				case VALUE_NULL -> this.out.put('n');
				default -> throw new StreamReadException(this.parser, "Not JSON");
			}
		}

		private void array(@Nullable JsonExclusions exclusions) {
			this.out.put('[');
			int index = 0;
			for (JsonToken token = this.parser.nextToken(); token != JsonToken.END_ARRAY; token = this.parser
				.nextToken()) {
				JsonExclusions element = (exclusions != null) ? exclusions.element(index) : null;
				int start = this.out.size();
				value(token, element);
				if (element != null && element.isExcluded()) {
					this.out.truncate(start);
				}
				index++;
			}
			this.out.put(']');
		}

		private void object(@Nullable JsonExclusions exclusions) {
			int objectStart = this.out.size();
			List<Member> members = new ArrayList<>();
			while (this.parser.nextToken() == JsonToken.PROPERTY_NAME) {
				String name = this.parser.currentName();
				JsonExclusions member = (exclusions != null) ? exclusions.member(name) : null;
				int start = this.out.size();
				this.out.putText(name);
				value(this.parser.nextToken(), member);
				if (member != null && member.isExcluded()) {
					// Its name stays in the list: twice is twice, excluded or not
					this.out.truncate(start);
				}
				members.add(new Member(name, start, this.out.size()));
			}
			if (this.parser.currentToken() != JsonToken.END_OBJECT) {
				throw new StreamReadException(this.parser, "Not JSON");
			}
			byte[] objectDigest = digest(members);
			this.out.truncate(objectStart);
			this.out.put('{');
			this.out.putRaw(objectDigest);
		}

		private byte[] digest(List<Member> members) {
			members.sort(Comparator.comparing(Member::name));
			String previous = null;
			for (Member member : members) {
				if (member.name().equals(previous)) {
					throw new StreamReadException(this.parser, "Two members of one name");
				}
				previous = member.name();
				this.digest.update(this.out.array(), member.start(), member.end() - member.start());
			}
			return this.digest.digest();
		}

		/**
		 * A member, with the position of its name and value.
		 */
		private record Member(String name, int start, int end) {

		}

	}

}
