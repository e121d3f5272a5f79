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
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.zip.GZIPInputStream;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.RequestDispatcher;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

import dev.idempotency.web.HandlerRequest.Settings;
import dev.idempotency.web.fingerprint.FingerprintSource;

/**
 * The content of a request, as its handler gets it: the source of its fingerprint, and
 * the parts of it that are stored.
 */
final class RequestContent implements FingerprintSource {

	private final HandlerRequest request;

	private final @Nullable Map<String, List<String>> parameters;

	private final Body body;

	private final Settings settings;

	private final boolean included;

	/**
	 * Creates the content.
	 * @param request the request
	 * @param parameters the parameters, {@code null} if they cannot be read
	 * @param body the body as it arrived
	 * @param settings the settings of all requests
	 */
	RequestContent(HandlerRequest request, @Nullable Map<String, List<String>> parameters, Body body,
			Settings settings) {
		this.request = request;
		this.parameters = parameters;
		this.body = body;
		this.settings = settings;
		this.included = request.getDispatcherType() == DispatcherType.INCLUDE;
	}

	/**
	 * Returns the request in a form in which it can be repeated without its sender,
	 * {@code null} if it has parts, or if it may hold secrets that cannot be told apart:
	 * in a form that was read as bytes, in parameters that cannot be read, or in members
	 * that must not be stored.
	 */
	public @Nullable HttpCommand command() {
		return (this.parameters != null && this.body instanceof Bytes bytes
				&& (bytes.content().length == 0 || !this.request.isForm())
				&& this.settings.parts().allow(contentType(), bytes.content()))
						? HttpCommand.of(this.request, this.parameters, bytes.content(), this.settings) : null;
	}

	@Override
	public String method() {
		return this.request.getMethod();
	}

	@Override
	public String path() {
		String path = path(this.request.getRequestURI(), this.request.getContextPath());
		if (this.included) {
			path += " " + path(attribute(RequestDispatcher.INCLUDE_REQUEST_URI),
					attribute(RequestDispatcher.INCLUDE_CONTEXT_PATH));
		}
		// Ids of sessions are path parameters.
		return (path.indexOf(';') < 0) ? path : this.settings.sensitive().removeFrom(path);
	}

	private static String path(String uri, String contextPath) {
		return uri.startsWith(contextPath) ? uri.substring(contextPath.length()) : uri;
	}

	@Override
	public @Nullable String query() {
		String query = this.request.getQueryString();
		String included = this.included ? attribute(RequestDispatcher.INCLUDE_QUERY_STRING) : "";
		return included.isEmpty() ? query : included + ((query != null) ? "&" + query : "");
	}

	private String attribute(String name) {
		Object value = this.request.getAttribute(name);
		return (value != null) ? value.toString() : "";
	}

	@Override
	public Map<String, List<String>> parameters() {
		return (this.parameters != null) ? this.parameters : Map.of();
	}

	@Override
	public @Nullable String contentType() {
		return this.request.getContentType();
	}

	@Override
	public List<String> headers(String name) {
		return Collections.list(this.request.getHeaders(name));
	}

	/**
	 * Returns the body. One that is compressed with gzip (RFC 9110 section 8.4) is
	 * unpacked: the level, the time in the header and the implementation of the
	 * compressor differ between a request and its retry, and do not reveal the meaning of
	 * the request. It stays as it arrived if it cannot be unpacked, is larger than the
	 * limit, or is followed by other bytes.
	 */
	@Override
	public Body body() {
		List<String> encodings = headers(HttpHeaders.CONTENT_ENCODING);
		if (encodings.size() == 1 && isGzip(encodings.get(0)) && this.body instanceof Bytes bytes
				&& bytes.content().length > 0) {
			try (Unpacking in = new Unpacking(bytes.content())) {
				byte[] unpacked = in.readNBytes(this.settings.limit());
				if (in.read() < 0 && in.isAtEnd()) {
					return new Bytes(unpacked);
				}
			}
			catch (IOException ex) {
				// A filter has unpacked it, or it is not compressed.
			}
		}
		return this.body;
	}

	private static boolean isGzip(String encoding) {
		String name = encoding.trim().toLowerCase(Locale.ROOT);
		return name.equals("gzip") || name.equals("x-gzip");
	}

	/**
	 * A stream that knows what follows the compressed data, which Java ignores.
	 */
	private static final class Unpacking extends GZIPInputStream {

		/**
		 * The length of a checksum and a size (RFC 1952 section 2.3).
		 */
		private static final int TRAILER = 8;

		Unpacking(byte[] content) throws IOException {
			super(new ByteArrayInputStream(content), content.length);
		}

		/**
		 * Returns whether nothing but the trailer has followed.
		 */
		boolean isAtEnd() {
			return this.inf.getRemaining() == TRAILER;
		}

	}

}
