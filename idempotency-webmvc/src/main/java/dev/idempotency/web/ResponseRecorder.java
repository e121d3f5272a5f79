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

import java.io.Closeable;
import java.io.Flushable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.Reader;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

import io.micrometer.common.KeyValue;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.util.StringUtils;
import org.springframework.web.filter.ServerHttpObservationFilter;

import dev.idempotency.engine.codec.StoredResponse;
import dev.idempotency.engine.codec.StoredResponse.Body;
import dev.idempotency.engine.codec.StoredResponse.HeaderField;
import dev.idempotency.engine.codec.StoredResponse.Writing;
import dev.idempotency.engine.codec.StoredResponse.Writing.Ending;
import dev.idempotency.exception.NotReplayableException;
import dev.idempotency.web.endpoint.SensitiveNames;
import dev.idempotency.web.endpoint.WebSettings;

/**
 * A recorder that captures responses, and sends captured and stored ones by the calls
 * that their handler has made, so that filters which surround it work as without the
 * library. A response gives either its writer or its stream (Servlet 6.1 section 5.5). If
 * a filter has taken the other one than the handler, the body is sent through that.
 */
final class ResponseRecorder {

	private static final String OUTCOME = "idempotency.outcome";

	private static final Body NO_BODY = Body.of(new byte[0]);

	private final SensitiveNames sensitive;

	private final int limit;

	private final String marker;

	/**
	 * Creates a recorder.
	 * @param settings the limit of bodies, and the marker of replays
	 * @param sensitive the headers that are not stored
	 */
	ResponseRecorder(WebSettings settings, SensitiveNames sensitive) {
		this.sensitive = sensitive;
		this.limit = settings.maxResponseBody();
		this.marker = settings.marker();
	}

	CapturingResponse capture(HttpServletResponse response) {
		return new CapturingResponse(response, this.limit, this.sensitive);
	}

	/**
	 * Captures a response, with the headers that an earlier dispatch has set.
	 */
	CapturingResponse capture(HttpServletResponse response, List<HeaderField> earlier) {
		CapturingResponse captured = new CapturingResponse(response, this.limit, this.sensitive);
		if (!earlier.isEmpty()) {
			writeHeaders(earlier, captured);
		}
		return captured;
	}

	/**
	 * Sets the headers from before an error page on the response of that page.
	 * @return the headers among them that are stored
	 */
	List<HeaderField> passOn(List<HeaderField> earlier, HttpServletResponse page) {
		writeHeaders(earlier, page);
		return this.sensitive.removeFrom(earlier);
	}

	/**
	 * Adds the library's outcome to the observation of a request, so that a trace
	 * distinguishes a replay from an execution. It is a high-cardinality value although
	 * it has few values: such values are added to spans and not to meters, whose tags
	 * have to be the same for all requests.
	 */
	static void observe(HttpServletRequest request, String outcome) {
		ServerHttpObservationFilter.findObservationContext(request)
			.ifPresent((context) -> context.addHighCardinalityKeyValue(KeyValue.of(OUTCOME, outcome)));
	}

	/**
	 * Sends the response to a request: the captured one, or a replay of the response to
	 * another delivery.
	 * @param captured the captured response
	 * @param other the stored response to another delivery, empty if there is none
	 * @param request the request
	 * @param response the response to the client
	 */
	void send(CapturingResponse captured, Optional<StoredResponse> other, HttpServletRequest request,
			HttpServletResponse response) throws IOException {
		if (other.isPresent()) {
			replay(other.get(), request, response);
		}
		else {
			captured.release();
		}
	}

	private void replay(StoredResponse stored, HttpServletRequest request, HttpServletResponse response)
			throws IOException {
		if (stored.status() < HttpServletResponse.SC_OK) {
			throw new NotReplayableException(new IllegalStateException(
					"The row was damaged: its status " + stored.status() + " is not the status of a response"));
		}
		observe(request, "replayed");
		if (stored.writing().reset()) {
			response.reset();
		}
		List<HeaderField> fields = stored.headers();
		if (!this.marker.isEmpty()) {
			fields = new ArrayList<>(fields);
			fields.add(new HeaderField(this.marker, "true", false));
		}
		send(stored, fields, response);
	}

	/**
	 * Sends a response.
	 * @param sent the response
	 * @param fields its header lines
	 * @param response the surrounding response
	 */
	static void send(StoredResponse sent, List<HeaderField> fields, HttpServletResponse response) throws IOException {
		Writing writing = sent.writing();
		Body body = Objects.requireNonNullElse(sent.body(), NO_BODY);
		String location = writing.redirected() ? valueOf(HttpHeaders.LOCATION, fields) : null;
		if (location != null) {
			writeHeaders(fields.stream().filter((field) -> !isNamed(HttpHeaders.LOCATION, field)).toList(), response);
			redirect(sent.status(), location, fields, writing, body, response);
			return;
		}
		writeHeaders(fields, response);
		setCharset(fields, writing, response);
		response.setStatus(sent.status());
		long size = body.size();
		if (writing.lengthAnnounced()) {
			response.setContentLengthLong(size);
		}
		if (size > 0) {
			write(body, fields, writing, response);
		}
		Ending ending = writing.ending();
		if (ending == Ending.COMMITTED || (ending != Ending.OPEN && size == 0)) {
			response.flushBuffer();
		}
	}

	/**
	 * Sets header lines, by the call that each was set by.
	 */
	static void writeHeaders(List<HeaderField> fields, HttpServletResponse response) {
		for (HeaderField field : fields) {
			String name = field.name();
			String value = field.value();
			if (name.equalsIgnoreCase(HttpHeaders.CONTENT_TYPE)) {
				response.setContentType(value);
			}
			else if (field.added()) {
				response.addHeader(name, value);
			}
			else {
				response.setHeader(name, value);
			}
		}
	}

	/**
	 * Sets a charset that the type does not carry.
	 */
	private static void setCharset(List<HeaderField> fields, Writing writing, HttpServletResponse response) {
		String charset = writing.charset();
		if (charset == null || (!writing.byWriter() && valueOf(HttpHeaders.CONTENT_TYPE, fields) != null)) {
			return;
		}
		if (!charset.equalsIgnoreCase(response.getCharacterEncoding())) {
			response.setCharacterEncoding(charset);
		}
	}

	/**
	 * Sends a redirect in the form of the call that the handler has most likely made,
	 * since wrappers override some of them only.
	 */
	private static void redirect(int status, String location, List<HeaderField> fields, Writing writing, Body body,
			HttpServletResponse response) throws IOException {
		setCharset(fields, writing, response);
		if (body.size() > 0) {
			write(body, fields, writing, response);
			response.sendRedirect(location, status, false);
		}
		else if (status == HttpServletResponse.SC_FOUND) {
			response.sendRedirect(location);
		}
		else {
			response.sendRedirect(location, status);
		}
	}

	private static void write(Body body, List<HeaderField> fields, Writing writing, HttpServletResponse response)
			throws IOException {
		boolean written = writing.byWriter();
		OutputStream stream = null;
		PrintWriter writer = null;
		try {
			if (written) {
				writer = response.getWriter();
			}
			else {
				stream = response.getOutputStream();
			}
		}
		catch (IllegalStateException taken) {
			if (written) {
				stream = response.getOutputStream();
			}
			else {
				writer = response.getWriter();
			}
		}
		if (stream != null) {
			body.writeTo(stream);
			end(stream, writing.ending());
		}
		else if (writer != null) {
			Charset charset = charsetOf(written ? writing.charset() : null, fields, response);
			try (Reader reader = new InputStreamReader(body.open(), charset)) {
				reader.transferTo(writer);
			}
			end(writer, writing.ending());
		}
	}

	private static <T extends Flushable & Closeable> void end(T output, Ending ending) throws IOException {
		switch (ending) {
			case OPEN, COMMITTED -> {
			}
			case FLUSHED -> output.flush();
			case CLOSED -> output.close();
		}
	}

	/**
	 * Returns the charset of a body: the charset of the handler's writer, otherwise the
	 * one that its type names, otherwise the charset of the surrounding response, which
	 * leaves the bytes as they are.
	 */
	private static Charset charsetOf(@Nullable String writer, List<HeaderField> fields, HttpServletResponse response) {
		if (writer != null) {
			return Charset.forName(writer);
		}
		String type = valueOf(HttpHeaders.CONTENT_TYPE, fields);
		try {
			Charset named = StringUtils.hasText(type) ? MediaType.parseMediaType(type).getCharset() : null;
			if (named != null) {
				return named;
			}
		}
		catch (InvalidMediaTypeException ex) {
			// A type that Java does not know.
		}
		return Charset.forName(response.getCharacterEncoding());
	}

	private static @Nullable String valueOf(String name, List<HeaderField> fields) {
		for (HeaderField field : fields) {
			if (isNamed(name, field) && field.value() != null) {
				return field.value();
			}
		}
		return null;
	}

	private static boolean isNamed(String name, HeaderField field) {
		return field.name().equalsIgnoreCase(name);
	}

}
