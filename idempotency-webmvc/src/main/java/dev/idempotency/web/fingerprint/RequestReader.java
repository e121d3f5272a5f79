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
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.http.server.ServletServerHttpRequest;
import org.springframework.web.multipart.MultipartHttpServletRequest;
import org.springframework.web.util.WebUtils;

import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.exception.RequestTooLargeException;
import dev.idempotency.store.UnfinishedStore.Recovery;
import dev.idempotency.web.fingerprint.FingerprintSource.Body;
import dev.idempotency.web.key.FormFields;
import dev.idempotency.web.policy.Endpoint;
import dev.idempotency.web.policy.WebSettings;
import dev.idempotency.web.recovery.BufferedRequest;
import dev.idempotency.web.recovery.CommandParts;
import dev.idempotency.web.recovery.FormRequest;
import dev.idempotency.web.recovery.HttpCommand;

/**
 * A reader that computes the fingerprint of a request and leaves the handler a request
 * that can be read again. Bodies are buffered up to a limit; multipart bodies are left to
 * the container, which has separate limits and keeps large parts on disk.
 */
public final class RequestReader {

	private final FingerprintStrategy strategy;

	private final int limit;

	private final FormLimits formLimits;

	private final CommandParts commandParts;

	/**
	 * Creates a reader.
	 * @param settings the parts of a request that count, and those that are stored
	 * @param own the application's fingerprints, {@code null} for those of the settings
	 * @param container the container's limits, {@code null} if they are unknown
	 */
	public RequestReader(WebSettings settings, @Nullable FingerprintStrategy own, @Nullable FormLimits container) {
		this.strategy = (own != null) ? own
				: new CanonicalFingerprint(settings.includedHeaders(), settings.excludedPointers());
		this.limit = settings.maxRequestBody();
		this.formLimits = formLimits(settings.maxFormFields(), container);
		this.commandParts = CommandParts.of(settings);
	}

	private static FormLimits formLimits(@Nullable Integer fields, @Nullable FormLimits container) {
		if (fields != null) {
			return FormLimits.of(fields);
		}
		return (container != null) ? container : FormLimits.of(FormLimits.USUAL_FIELDS);
	}

	/**
	 * Reads a request.
	 * @param request the request
	 * @param endpoint the endpoint that it goes to
	 * @param recovery the claim that the completer has made, {@code null} if the request
	 * comes from its sender
	 */
	public ReadRequest read(HttpServletRequest request, Endpoint endpoint, @Nullable Recovery recovery)
			throws IOException, ServletException {
		HttpServletRequest readable = request;
		Body body;
		HttpCommand command = null;
		if (WebUtils.getNativeRequest(request, MultipartHttpServletRequest.class) != null) {
			body = ServletSource.multipart(request);
		}
		else {
			byte[] content = readContent(request);
			Map<String, List<String>> fields = Map.of();
			RuntimeException refusal = null;
			if (FormFields.isForm(request.getContentType())) {
				refusal = refusal(request, content);
				try {
					fields = (refusal == null) ? formFields(request, content) : fields;
				}
				catch (HttpMessageNotReadableException ex) {
					refusal = ex;
				}
			}
			if (content.length == 0 && fields.isEmpty() && refusal == null && request.getContentLengthLong() > 0) {
				throw consumed(endpoint);
			}
			readable = (refusal != null) ? refusing(request, content, refusal) : readable(request, content, fields);
			// The secrets of a form that was not read are unknown.
			if (endpoint.repeatable() && refusal == null) {
				command = HttpCommand.of(request, content, fields, this.commandParts);
			}
			body = fields.isEmpty() ? ServletSource.bytes(request, content, this.limit)
					: new FingerprintSource.Form(fields);
		}
		byte[] fingerprint = (recovery != null) ? recovery.fingerprint()
				: this.strategy.fingerprint(new ServletSource(request, body, this.commandParts.sessionIds()));
		return new ReadRequest(readable, fingerprint, command);
	}

	private static HttpServletRequest readable(HttpServletRequest request, byte[] content,
			Map<String, List<String>> fields) {
		if (content.length == 0 || fields.isEmpty()) {
			return new BufferedRequest(request, content);
		}
		// The values of the query come before those of the body (Servlet 6.1 section
		// 3.1).
		Map<String, String[]> parameters = new LinkedHashMap<>(request.getParameterMap());
		fields.forEach((name, values) -> parameters.merge(name, values.toArray(String[]::new),
				(query, body) -> Stream.of(query, body).flatMap(Stream::of).toArray(String[]::new)));
		return new FormRequest(request, content, (form) -> parameters);
	}

	/**
	 * Returns a request whose form exceeds the container's limits or cannot be decoded.
	 * Its bytes can be read; a caller that reads a parameter is refused, as by the
	 * container.
	 */
	private static HttpServletRequest refusing(HttpServletRequest request, byte[] content, RuntimeException refusal) {
		return new FormRequest(request, content, (form) -> {
			throw refusal;
		});
	}

	/**
	 * Checks the limits before any field is read: a request that the container refuses
	 * must not cost more than without the library.
	 */
	private @Nullable RuntimeException refusal(HttpServletRequest request, byte[] content) {
		if (content.length == 0) {
			return null;
		}
		String query = request.getQueryString();
		int inQuery = (query != null) ? FormFields.count(query.getBytes(StandardCharsets.ISO_8859_1)) : 0;
		return this.formLimits.refusal(request, content.length, inQuery + FormFields.count(content));
	}

	/**
	 * Returns the fields of a form. If a filter, or the search for the key, has read a
	 * parameter, the container has consumed the body and has its fields.
	 */
	private static Map<String, List<String>> formFields(HttpServletRequest request, byte[] content) {
		return (content.length > 0) ? parse(request, content) : FormFields.bodyFields(request);
	}

	private static Map<String, List<String>> parse(HttpServletRequest request, byte[] content) {
		Charset charset = BufferedRequest.charset(request);
		try {
			return FormFields.parse(content, charset);
		}
		catch (IllegalArgumentException ex) {
			throw new HttpMessageNotReadableException("The form cannot be decoded", ex,
					new ServletServerHttpRequest(request));
		}
	}

	private byte[] readContent(HttpServletRequest request) throws IOException {
		long length = request.getContentLengthLong();
		if (length > this.limit) {
			throw tooLarge();
		}
		InputStream in = request.getInputStream();
		byte[] announced = in.readNBytes((length >= 0) ? (int) length : this.limit);
		int next = in.read();
		if (next == -1) {
			return announced;
		}
		// A filter that unpacks the body may leave the length of the packed one.
		byte[] rest = in.readNBytes(this.limit - announced.length);
		if (announced.length + rest.length >= this.limit) {
			throw tooLarge();
		}
		return ByteBuffer.allocate(announced.length + 1 + rest.length)
			.put(announced)
			.put((byte) next)
			.put(rest)
			.array();
	}

	/**
	 * Creates the refusal of a request without its body, which cannot be distinguished
	 * from another request with the same key.
	 */
	private static InvalidIdempotentException consumed(Endpoint endpoint) {
		return new InvalidIdempotentException(
				"@Idempotent on " + endpoint.operation().name() + " got a request whose body a filter has consumed.",
				"Pass a request on whose body can be read again, or read it in the handler.");
	}

	private RequestTooLargeException tooLarge() {
		return new RequestTooLargeException(
				"The request body is larger than the " + this.limit + " bytes that this operation accepts.");
	}

	/**
	 * A request that was read.
	 *
	 * @param request the request for the handler, whose body can be read again
	 * @param fingerprint the fingerprint; not copied, not to be changed
	 * @param command the request as it is stored, {@code null} if only its sender may
	 * repeat it
	 */
	public record ReadRequest(HttpServletRequest request, byte[] fingerprint, @Nullable HttpCommand command) {
	}

}
