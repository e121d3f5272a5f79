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

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.http.MediaType;
import org.springframework.util.Assert;
import org.springframework.util.StringUtils;

import dev.idempotency.IdempotentOperation;
import dev.idempotency.engine.identity.DigestKeys;
import dev.idempotency.engine.identity.Fingerprint;
import dev.idempotency.engine.identity.IdentityFactory;
import dev.idempotency.store.Identity;
import dev.idempotency.web.endpoint.SensitiveNames;
import dev.idempotency.web.fingerprint.FingerprintSource.Body;
import dev.idempotency.web.fingerprint.FingerprintSource.Bytes;
import dev.idempotency.web.fingerprint.FingerprintSource.Multipart;
import dev.idempotency.web.fingerprint.FingerprintSource.Part;

/**
 * The default fingerprint: a version byte and the SHA-256 digest of method, path, query,
 * media type, configured headers, parameters and body, in this order, each in its
 * canonical form and with its length or its end, so that no two different requests have
 * the same bytes. Credentials do not count. An application's own strategy may build on
 * it.
 * <p>
 * A body is compared by its meaning if it has one: JSON as described by
 * {@link CanonicalJson}, multipart by its parts; a form by its parameters. Any other body
 * is compared by its bytes.
 */
public final class CanonicalFingerprint implements FingerprintStrategy {

	/**
	 * The version, which changes with the canonical form: fingerprints are stored, and
	 * nodes of two versions read the same record.
	 */
	private static final int VERSION = 2;

	private final List<String> includedHeaders;

	private final CanonicalJson json;

	/**
	 * Creates the strategy.
	 * @param includedHeaders the names of the headers that count, none of which may carry
	 * credentials or a trace
	 * @param excludedPointers the JSON pointers (RFC 6901) to excluded values
	 */
	public CanonicalFingerprint(Collection<String> includedHeaders, Collection<String> excludedPointers) {
		// In alphabetical order, independent of the order in the configuration
		Set<String> names = new TreeSet<>();
		for (String header : includedHeaders) {
			Assert.hasText(header, "The name of a header to include in the fingerprint must not be blank");
			String name = header.trim().toLowerCase(Locale.ROOT);
			Assert.isTrue(!SensitiveNames.isCredential(name) && !SensitiveNames.isTrace(name), () -> "The header '"
					+ header + "' cannot be included in the fingerprint: it differs between a request and its retry");
			names.add(name);
		}
		this.includedHeaders = List.copyOf(names);
		this.json = new CanonicalJson(excludedPointers);
	}

	@Override
	public byte[] fingerprint(FingerprintSource source) throws IOException {
		return new Content(source).get();
	}

	/**
	 * Creates the fingerprint of a request that is digested by its bytes, and whose body
	 * is parsed only if its meaning is needed.
	 * @param source the request
	 * @param identities creates the fingerprint
	 * @param identity the identity of the request
	 * @param operation the called operation
	 * @return the fingerprint
	 * @throws IOException if the body cannot be read
	 */
	public Fingerprint fingerprint(FingerprintSource source, IdentityFactory identities, Identity identity,
			IdempotentOperation operation) throws IOException {
		Content content = new Content(source);
		return identities.fingerprint(identity, operation, (content.document != null) ? content.sent : null, content);
	}

	/**
	 * The content of one request, which supplies the digest of its meaning.
	 */
	private final class Content implements Supplier<byte[]> {

		private static final byte EMPTY = 0;

		private static final byte BYTES = 1;

		private static final byte JSON = 2;

		private static final int MULTIPART = 3;

		private static final byte[] NONE = {};

		private static final Pattern ESCAPE = Pattern.compile("%[0-9A-Fa-f]{2}");

		private static final Pattern UNRESERVED = Pattern.compile("[a-zA-Z0-9._~-]");

		private static final int MISSING = 0;

		private static final int TEXT = 1;

		private static final int PARSED = 2;

		private static final String CHARSET = "charset";

		private static final String TOKEN = "[a-zA-Z0-9!#$%&'*+.^_`|~-]+";

		private static final Pattern TYPE = Pattern.compile("[ \t]*(" + TOKEN + "/" + TOKEN + ")[ \t]*");

		/**
		 * The content of a quoted string (RFC 9110, section 5.6.4), which may be long:
		 * possessive, since a group that can be tried again is matched by recursion.
		 */
		private static final String QUOTED = "(?:[^\"\\\\]|\\\\.)*+";

		/**
		 * A value without quotes. Boundaries with '=', ':' or '/' are often sent without
		 * the quotes that they need.
		 */
		private static final String UNQUOTED = "[!-~&&[^\";]]+";

		private static final Pattern PARAMETER = Pattern
			.compile(";[ \t]*(?:(" + TOKEN + ")=(?:\"(" + QUOTED + ")\"|(" + UNQUOTED + "))[ \t]*)?", Pattern.DOTALL);

		private static final Pattern QUOTED_PAIR = Pattern.compile("\\\\(.)", Pattern.DOTALL);

		/**
		 * Everything but a body that has bytes.
		 */
		private final CanonicalBuffer out = new CanonicalBuffer(128);

		private final MessageDigest digest = DigestKeys.sha256();

		/**
		 * The digest of the request as it was sent.
		 */
		private final byte[] sent;

		/**
		 * The body if it has to be parsed for its meaning.
		 */
		private final byte @Nullable [] document;

		Content(FingerprintSource source) throws IOException {
			this.out.put(VERSION);
			this.out.putText(source.method());
			writePath(source.path());
			writeQuery(source.query());
			boolean json = writeMediaType(source.contentType());
			this.out.putInt(CanonicalFingerprint.this.includedHeaders.size());
			for (String name : CanonicalFingerprint.this.includedHeaders) {
				this.out.putText(name);
				writeTexts(source.headers(name));
			}
			writeParameters(source.parameters());
			Body body = source.body();
			byte[] bytes = (body instanceof Bytes single) ? single.content() : NONE;
			if (body instanceof Multipart multipart) {
				writeMultipart(multipart);
			}
			this.out.update(this.digest);
			if (body instanceof Bytes) {
				this.digest.update((bytes.length > 0) ? BYTES : EMPTY);
				this.digest.update(bytes);
			}
			this.sent = result();
			this.document = (json && bytes.length > 0) ? bytes : null;
		}

		/**
		 * Digests the meaning. A JSON document without one is compared by its bytes.
		 */
		@Override
		public byte[] get() {
			if (this.document == null) {
				return this.sent;
			}
			// Whatever an attempt that failed has left
			this.digest.reset();
			CanonicalBuffer meaning = CanonicalFingerprint.this.json.write(this.document, this.digest);
			if (meaning == null) {
				return this.sent;
			}
			this.out.update(this.digest);
			this.digest.update(JSON);
			meaning.update(this.digest);
			return result();
		}

		private byte[] result() {
			byte[] hash = this.digest.digest();
			byte[] result = new byte[1 + hash.length];
			result[0] = VERSION;
			System.arraycopy(hash, 0, result, 1, hash.length);
			return result;
		}

		/**
		 * Writes a path (RFC 3986, section 6.2.2): a character that needs no escape has
		 * none, and the digits of all others are in upper case.
		 */
		private void writePath(String path) {
			this.out.putText((path.indexOf('%') < 0) ? path
					: ESCAPE.matcher(path).replaceAll((escape) -> Matcher.quoteReplacement(normal(escape.group()))));
		}

		private static String normal(String escape) {
			String character = Character.toString(Integer.parseInt(escape.substring(1), 16));
			return UNRESERVED.matcher(character).matches() ? character : escape.toUpperCase(Locale.ROOT);
		}

		/**
		 * Writes a query (RFC 3986, section 3.4) as parameters: sorted by name, with the
		 * values of one name in their order. Percent escapes and {@code +} are decoded to
		 * bytes, so that no charset has to be guessed.
		 */
		private void writeQuery(@Nullable String query) {
			List<Parameter> parameters = new ArrayList<>();
			for (String pair : StringUtils.tokenizeToStringArray(query, "&", false, true)) {
				int equals = pair.indexOf('=');
				Text name = Text.decode((equals < 0) ? pair : pair.substring(0, equals));
				Text value = (equals < 0) ? Text.MISSING : Text.decode(pair.substring(equals + 1));
				if (!name.isCredential()) {
					parameters.add(new Parameter(name, value));
				}
			}
			// A stable sort: the values of one name stay in their order
			parameters.sort(Comparator.comparing(Parameter::name));
			this.out.putInt(parameters.size());
			for (Parameter parameter : parameters) {
				parameter.name().write(this.out);
				parameter.value().write(this.out);
			}
		}

		/**
		 * Writes a media type (RFC 9110, section 8.3.1): names in lower case, parameters
		 * sorted, without quotes and spaces, the charset by its preferred name. The
		 * boundary of a multipart type is left out, as it changes with every attempt. Any
		 * other text is taken as it is. Spring's {@code MimeType} rejects a charset that
		 * this JVM does not know.
		 * @return whether a body of this type is a JSON text in UTF-8 (RFC 8259, section
		 * 8.1, and RFC 6839, section 3.1). With another charset the same bytes mean
		 * another text.
		 */
		private boolean writeMediaType(@Nullable String text) {
			if (text == null) {
				this.out.put(MISSING);
				return false;
			}
			if (text.equals(MediaType.APPLICATION_JSON_VALUE)) {
				// As it is written most often, and would be parsed to
				this.out.put(PARSED);
				this.out.putText(text);
				this.out.putInt(0);
				return true;
			}
			Matcher start = TYPE.matcher(text);
			Map<String, String> parameters = start.lookingAt() ? parameters(text, start.end()) : null;
			if (parameters == null) {
				this.out.put(TEXT);
				this.out.putText(text);
				return false;
			}
			String type = start.group(1).toLowerCase(Locale.ROOT);
			if (type.startsWith("multipart/")) {
				parameters.remove("boundary");
			}
			boolean json = (type.equals("application/json")
					|| (type.startsWith("application/") && type.endsWith("+json")))
					&& parameters.getOrDefault(CHARSET, "UTF-8").equals("UTF-8");
			if (json) {
				// The only charset of JSON
				parameters.remove(CHARSET);
			}
			this.out.put(PARSED);
			this.out.putText(type);
			this.out.putInt(parameters.size());
			parameters.forEach((name, value) -> {
				this.out.putText(name);
				this.out.putText(value);
			});
			return json;
		}

		/**
		 * Reads parameters, each of which may occur once.
		 * @return the parameters by name, {@code null} if the text is something else
		 */
		private static @Nullable Map<String, String> parameters(String text, int start) {
			Map<String, String> parameters = new TreeMap<>();
			if (start == text.length()) {
				return parameters;
			}
			Matcher parameter = PARAMETER.matcher(text).region(start, text.length());
			for (; parameter.lookingAt(); parameter.region(parameter.end(), text.length())) {
				if (parameter.group(1) != null) {
					String name = parameter.group(1).toLowerCase(Locale.ROOT);
					String quoted = parameter.group(2);
					String value = (quoted != null) ? QUOTED_PAIR.matcher(quoted).replaceAll("$1") : parameter.group(3);
					if (parameters.put(name, name.equals(CHARSET) ? charset(value) : value) != null) {
						return null;
					}
				}
			}
			return (parameter.regionStart() == text.length()) ? parameters : null;
		}

		private static String charset(String name) {
			try {
				return Charset.forName(name).name();
			}
			catch (IllegalArgumentException ex) {
				return name.toLowerCase(Locale.ROOT);
			}
		}

		private void writeParameters(Map<String, List<String>> parameters) {
			if (parameters.isEmpty()) {
				this.out.putInt(0);
				return;
			}
			Map<String, List<String>> sorted = new TreeMap<>(parameters);
			sorted.keySet().removeIf(SensitiveNames::isCredentialParameter);
			this.out.putInt(sorted.size());
			sorted.forEach((name, values) -> {
				this.out.putText(name);
				writeTexts(values);
			});
		}

		private void writeMultipart(Multipart multipart) throws IOException {
			List<Part> parts = new ArrayList<>(multipart.parts());
			parts.removeIf((part) -> part.fileName() == null && SensitiveNames.isCredentialParameter(part.name()));
			// A stable sort: parts of one name, several files for instance, stay in their
			// order
			parts.sort(Comparator.comparing(Part::name));
			this.out.put(MULTIPART);
			this.out.putInt(parts.size());
			for (Part part : parts) {
				this.out.putText(part.name());
				this.out.putNullableText(part.fileName());
				writeMediaType(part.contentType());
				writeContentDigest(part);
			}
		}

		private void writeContentDigest(Part part) throws IOException {
			byte[] chunk = new byte[8192];
			try (InputStream content = part.content().getInputStream()) {
				for (int read = content.read(chunk); read >= 0; read = content.read(chunk)) {
					this.digest.update(chunk, 0, read);
				}
			}
			this.out.putDigest(this.digest);
		}

		private void writeTexts(List<String> values) {
			this.out.putInt(values.size());
			values.forEach(this.out::putText);
		}

	}

	private record Parameter(Text name, Text value) {

	}

	/**
	 * A name or value of a query. One that could not be decoded never equals one that
	 * could.
	 */
	private record Text(int kind, byte[] bytes) implements Comparable<Text> {

		private static final int DECODED = 1;

		private static final int RAW = 2;

		static final Text MISSING = new Text(0, new byte[0]);

		static Text decode(String text) {
			if (text.chars().allMatch((character) -> character <= 0x7E)) {
				try {
					String decoded = StringUtils.uriDecode(text.replace('+', ' '), StandardCharsets.ISO_8859_1);
					return new Text(DECODED, decoded.getBytes(StandardCharsets.ISO_8859_1));
				}
				catch (IllegalArgumentException ex) {
					// A malformed escape: the text counts as it is.
				}
			}
			CanonicalBuffer bytes = new CanonicalBuffer(4 + 3 * text.length());
			bytes.putText(text);
			return new Text(RAW, bytes.toBytes());
		}

		boolean isCredential() {
			return this.kind == DECODED
					&& SensitiveNames.isCredentialParameter(new String(this.bytes, StandardCharsets.ISO_8859_1));
		}

		void write(CanonicalBuffer out) {
			out.put(this.kind);
			out.putBytes(this.bytes, 0, this.bytes.length);
		}

		@Override
		public int compareTo(Text other) {
			int result = Integer.compare(this.kind, other.kind);
			return (result != 0) ? result : Arrays.compareUnsigned(this.bytes, other.bytes);
		}

	}

}
