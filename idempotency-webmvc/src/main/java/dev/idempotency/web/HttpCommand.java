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
package dev.idempotency.web;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

import dev.idempotency.web.HandlerRequest.BodyStream;
import dev.idempotency.web.HandlerRequest.Settings;

/**
 * An HTTP request in a form in which it can be stored and repeated. It has the headers
 * that describe the body and the accepted answers, and those that the application names,
 * but no credentials and no idempotency key. Parameters and query have neither the key
 * nor tokens.
 *
 * @param method the method
 * @param scheme the scheme that the client used
 * @param server the server's name that the client used
 * @param port the port that the client used
 * @param contextPath the path of the application
 * @param uri the path of the request, context path included, as it came
 * @param query the stored part of the query, as it came; {@code null} if there was no
 * query
 * @param encoding the character encoding of the body as the application saw it, which a
 * filter may have set; {@code null} for none
 * @param headers the headers
 * @param parameters the parameters as the handler got them, including the fields of a
 * form
 * @param body the body as the handler got it, empty if the container has read it as a
 * form
 */
record HttpCommand(String method, String scheme, String server, int port, String contextPath, String uri,
		@Nullable String query, @Nullable String encoding, Map<String, List<String>> headers,
		Map<String, List<String>> parameters, byte[] body) {

	public static final String KIND = "http";

	static final Set<String> HEADERS = Set.of(HttpHeaders.CONTENT_TYPE, HttpHeaders.ACCEPT,
			HttpHeaders.ACCEPT_LANGUAGE);

	/**
	 * Creates the command of a request.
	 * @param request the request
	 * @param parameters its parameters
	 * @param body its body
	 * @param settings the parts to keep
	 */
	static HttpCommand of(HttpServletRequest request, Map<String, List<String>> parameters, byte[] body,
			Settings settings) {
		CommandParts parts = settings.parts();
		Map<String, List<String>> headers = new LinkedHashMap<>();
		for (String name : parts.headers()) {
			List<String> values = Collections.list(request.getHeaders(name));
			if (!values.isEmpty()) {
				headers.put(name, values);
			}
		}
		return new HttpCommand(request.getMethod(), request.getScheme(), request.getServerName(),
				request.getServerPort(), request.getContextPath(),
				settings.sensitive().removeFrom(request.getRequestURI()), parts.query(request.getQueryString()),
				request.getCharacterEncoding(), headers, parts.parameters(parameters), body);
	}

	/**
	 * Returns a stream of the body.
	 * @return a new stream at its beginning
	 */
	public ServletInputStream stream() {
		return new BodyStream(this.body);
	}

	/**
	 * Returns the parts of the request, for operators.
	 */
	public Map<String, Object> describe() {
		Map<String, Object> parts = new LinkedHashMap<>();
		parts.put("method", this.method);
		parts.put("uri", this.uri);
		parts.put("query", (this.query != null) ? this.query : "");
		parts.put("headers", this.headers);
		parts.put("parameters", this.parameters);
		Charset charset = (this.encoding != null) ? Charset.forName(this.encoding) : StandardCharsets.UTF_8;
		try {
			parts.put("body", charset.newDecoder().decode(ByteBuffer.wrap(this.body)).toString());
		}
		catch (CharacterCodingException ex) {
			parts.put("bodyBase64", Base64.getEncoder().encodeToString(this.body));
		}
		return parts;
	}

	public byte[] toBytes() {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream(this.body.length + 256);
		try (DataOutputStream out = new DataOutputStream(bytes)) {
			out.writeUTF(this.method);
			out.writeUTF(this.scheme);
			out.writeUTF(this.server);
			out.writeInt(this.port);
			out.writeUTF(this.contextPath);
			out.writeUTF(this.uri);
			writeOptional(out, this.query);
			writeOptional(out, this.encoding);
			writeAll(out, this.headers);
			writeAll(out, this.parameters);
			out.write(this.body);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return bytes.toByteArray();
	}

	private static void writeAll(DataOutputStream out, Map<String, List<String>> all) throws IOException {
		out.writeInt(all.size());
		for (Map.Entry<String, List<String>> one : all.entrySet()) {
			writeText(out, one.getKey());
			out.writeInt(one.getValue().size());
			for (String value : one.getValue()) {
				writeText(out, value);
			}
		}
	}

	/** Writes a text that may be longer than {@code writeUTF} allows. */
	private static void writeText(DataOutputStream out, String text) throws IOException {
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		out.writeInt(bytes.length);
		out.write(bytes);
	}

	private static void writeOptional(DataOutputStream out, @Nullable String value) throws IOException {
		out.writeBoolean(value != null);
		if (value != null) {
			out.writeUTF(value);
		}
	}

	private static @Nullable String readOptional(DataInputStream in) throws IOException {
		return in.readBoolean() ? in.readUTF() : null;
	}

	public static HttpCommand fromBytes(byte[] bytes) {
		try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
			return new HttpCommand(in.readUTF(), in.readUTF(), in.readUTF(), in.readInt(), in.readUTF(), in.readUTF(),
					readOptional(in), readOptional(in), readAll(in), readAll(in), in.readAllBytes());
		}
		catch (IOException ex) {
			throw new IllegalStateException("A stored request cannot be read", ex);
		}
	}

	private static Map<String, List<String>> readAll(DataInputStream in) throws IOException {
		int count = in.readInt();
		Map<String, List<String>> all = new LinkedHashMap<>();
		for (int i = 0; i < count; i++) {
			String name = readText(in);
			int size = in.readInt();
			List<String> values = new ArrayList<>(size);
			for (int j = 0; j < size; j++) {
				values.add(readText(in));
			}
			all.put(name, values);
		}
		return all;
	}

	private static String readText(DataInputStream in) throws IOException {
		return new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
	}

}
