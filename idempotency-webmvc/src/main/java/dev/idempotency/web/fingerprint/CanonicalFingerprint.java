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
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.springframework.util.Assert;

import dev.idempotency.engine.identity.DigestKeys;
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
	static final int VERSION = 2;

	private static final int EMPTY = 0;

	private static final int BYTES = 1;

	private static final int JSON = 2;

	private static final int MULTIPART = 3;

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
		return digest(source).meaning().get();
	}

	/**
	 * Digests a request by its bytes, and parses its body only if its meaning is needed.
	 */
	ContentDigest digest(FingerprintSource source) throws IOException {
		CanonicalMediaType mediaType = CanonicalMediaType.of(source.contentType());
		CanonicalBuffer head = head(source, mediaType);
		MessageDigest digest = DigestKeys.sha256();
		Body body = source.body();
		if (body instanceof Bytes bytes) {
			byte[] content = bytes.content();
			if (content.length == 0) {
				head.put(EMPTY);
				return ContentDigest.of(result(head, digest));
			}
			byte[] sent = sent(head, content, digest);
			return mediaType.isJson() ? new ContentDigest(sent, () -> meaning(head, content, sent))
					: ContentDigest.of(sent);
		}
		writeMultipart((Multipart) body, head, digest);
		return ContentDigest.of(result(head, digest));
	}

	private CanonicalBuffer head(FingerprintSource source, CanonicalMediaType mediaType) {
		CanonicalBuffer head = new CanonicalBuffer(512);
		head.put(VERSION);
		head.putText(source.method());
		CanonicalUri.writePath(source.path(), head);
		CanonicalUri.writeQuery(source.query(), head);
		mediaType.write(head);
		head.putInt(this.includedHeaders.size());
		for (String name : this.includedHeaders) {
			head.putText(name);
			putTexts(source.headers(name), head);
		}
		writeParameters(source.parameters(), head);
		return head;
	}

	private static byte[] sent(CanonicalBuffer head, byte[] content, MessageDigest digest) {
		head.update(digest);
		digest.update((byte) BYTES);
		digest.update(content);
		return result(digest);
	}

	/**
	 * Digests the meaning of a JSON document; one without a meaning is compared by its
	 * bytes.
	 */
	private byte[] meaning(CanonicalBuffer head, byte[] content, byte[] sent) {
		MessageDigest digest = DigestKeys.sha256();
		CanonicalBuffer document = this.json.write(content, digest);
		if (document == null) {
			return sent;
		}
		head.update(digest);
		digest.update((byte) JSON);
		return result(document, digest);
	}

	private static void writeParameters(Map<String, List<String>> parameters, CanonicalBuffer out) {
		Map<String, List<String>> sorted = new TreeMap<>(parameters);
		sorted.keySet().removeIf(SensitiveNames::isCredentialParameter);
		out.putInt(sorted.size());
		sorted.forEach((name, values) -> {
			out.putText(name);
			putTexts(values, out);
		});
	}

	private static void writeMultipart(Multipart multipart, CanonicalBuffer out, MessageDigest digest)
			throws IOException {
		List<Part> parts = new ArrayList<>(multipart.parts());
		parts.removeIf((part) -> part.fileName() == null && SensitiveNames.isCredentialParameter(part.name()));
		// A stable sort: parts of one name, several files for instance, stay in their
		// order
		parts.sort(Comparator.comparing(Part::name));
		out.put(MULTIPART);
		out.putInt(parts.size());
		for (Part part : parts) {
			out.putText(part.name());
			out.putNullableText(part.fileName());
			CanonicalMediaType.of(part.contentType()).write(out);
			out.putRaw(contentDigest(part, digest));
		}
	}

	private static byte[] contentDigest(Part part, MessageDigest digest) throws IOException {
		byte[] chunk = new byte[8192];
		try (InputStream content = part.content().getInputStream()) {
			for (int read = content.read(chunk); read >= 0; read = content.read(chunk)) {
				digest.update(chunk, 0, read);
			}
		}
		return digest.digest();
	}

	private static void putTexts(List<String> values, CanonicalBuffer out) {
		out.putInt(values.size());
		values.forEach(out::putText);
	}

	private static byte[] result(CanonicalBuffer last, MessageDigest digest) {
		last.update(digest);
		return result(digest);
	}

	private static byte[] result(MessageDigest digest) {
		byte[] hash = digest.digest();
		byte[] result = new byte[1 + hash.length];
		result[0] = VERSION;
		System.arraycopy(hash, 0, result, 1, hash.length);
		return result;
	}

}
