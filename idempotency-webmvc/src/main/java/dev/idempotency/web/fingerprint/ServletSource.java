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

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPInputStream;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.util.StringUtils;
import org.springframework.web.HttpMediaTypeNotSupportedException;
import org.springframework.web.multipart.support.AbstractMultipartHttpServletRequest;
import org.springframework.web.util.WebUtils;

import dev.idempotency.web.capture.SessionIds;
import dev.idempotency.web.fingerprint.FingerprintSource.Body;

/**
 * The fingerprint's view of a servlet request.
 *
 * @param request the request
 * @param body its body
 * @param sessionIds the ids of sessions in paths, which do not count
 */
record ServletSource(HttpServletRequest request, Body body, SessionIds sessionIds) implements FingerprintSource {

	/**
	 * Reads the parts of a request.
	 * @throws HttpMediaTypeNotSupportedException if the container finds no parts in an
	 * unread body, which the handler can no longer read
	 */
	static Multipart multipart(HttpServletRequest request) throws IOException, ServletException {
		List<Part> parts = new ArrayList<>();
		for (jakarta.servlet.http.Part part : request.getParts()) {
			parts.add(new Part(part.getName(), part.getSubmittedFileName(), part.getContentType(), part::getInputStream,
					part.getSize()));
		}
		if (parts.isEmpty() && isLazy(request)
				&& !StringUtils.startsWithIgnoreCase(request.getContentType(), MediaType.MULTIPART_FORM_DATA_VALUE)) {
			throw new HttpMediaTypeNotSupportedException(
					"No parts with names were found. For handlers that read such a "
							+ "body as a whole, set spring.servlet.multipart.strict-servlet-compliance=true.");
		}
		return new Multipart(parts);
	}

	/**
	 * Returns the bytes of a body as they were before a compression with gzip (RFC 9110
	 * section 8.4): the level, the time in the header and the implementation of the
	 * compressor differ between a request and its retry, and do not reveal the meaning of
	 * the request.
	 * @param content the body as it arrived
	 * @param limit the largest number of bytes that are unpacked
	 * @return the body, as it arrived if it is not compressed, is not readable, or is
	 * larger than the limit
	 */
	static Bytes bytes(HttpServletRequest request, byte[] content, int limit) {
		List<String> encodings = Collections.list(request.getHeaders(HttpHeaders.CONTENT_ENCODING));
		if (content.length > 0 && encodings.size() == 1 && isGzip(encodings.get(0))) {
			try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(content), 8192)) {
				byte[] unpacked = in.readNBytes(limit);
				return new Bytes((in.read() < 0) ? unpacked : content);
			}
			catch (IOException ex) {
				// A filter has unpacked it, or it is not compressed: its bytes
				// distinguish
				// requests.
			}
		}
		return new Bytes(content);
	}

	private static boolean isGzip(String encoding) {
		String name = encoding.trim().toLowerCase(Locale.ROOT);
		return name.equals("gzip") || name.equals("x-gzip");
	}

	private static boolean isLazy(HttpServletRequest request) {
		var multipart = WebUtils.getNativeRequest(request, AbstractMultipartHttpServletRequest.class);
		return multipart != null && !multipart.isResolved();
	}

	@Override
	public String method() {
		return this.request.getMethod();
	}

	@Override
	public String path() {
		return this.sessionIds.removeFrom(this.request.getRequestURI());
	}

	@Override
	public @Nullable String query() {
		return this.request.getQueryString();
	}

	@Override
	public @Nullable String contentType() {
		return this.request.getContentType();
	}

	@Override
	public List<String> headers(String name) {
		return Collections.list(this.request.getHeaders(name));
	}

}
