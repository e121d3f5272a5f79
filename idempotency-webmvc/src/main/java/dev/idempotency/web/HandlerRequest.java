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

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.http.server.ServletServerHttpRequest;
import org.springframework.util.StringUtils;
import org.springframework.web.filter.FormContentFilter;
import org.springframework.web.multipart.MultipartException;
import org.springframework.web.multipart.MultipartHttpServletRequest;
import org.springframework.web.util.ContentCachingRequestWrapper;
import org.springframework.web.util.WebUtils;

import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.exception.RequestTooLargeException;
import dev.idempotency.web.endpoint.SensitiveNames;
import dev.idempotency.web.endpoint.WebSettings;
import dev.idempotency.web.fingerprint.FingerprintSource;

/**
 * The request that a protected handler gets. It is read as without the library:
 * parameters and parts by the methods of the request around it, through all of its
 * wrappers, and the body by its stream. The bytes of the stream are kept in memory up to
 * a limit, since they count, and are read again if the handler is called again.
 * <p>
 * A body that something else has read before is refused: two requests would be the same
 * that are not. A container parses a form when a parameter is read, and has no stream of
 * it afterwards. What is read first, parameters or stream, is the content; the parameters
 * are if the handler has read neither when its content is needed.
 */
final class HandlerRequest extends HttpServletRequestWrapper {

	/**
	 * Largest announced body in bytes for which memory is taken before it has arrived.
	 */
	private static final int AT_ONCE = 128 * 1024;

	private final Settings settings;

	private final BiFunction<String, String, InvalidIdempotentException> refusals;

	/**
	 * The request of the multipart resolver, {@code null} if it is not its kind.
	 */
	private final @Nullable MultipartHttpServletRequest multipart;

	/**
	 * The request of the container, within all wrappers.
	 */
	private final HttpServletRequest container;

	private byte @Nullable [] bytes;

	private @Nullable ServletInputStream stream;

	private @Nullable BufferedReader reader;

	private boolean parametersRead;

	/**
	 * Set when the parameters of a form were read for its content, and not by the
	 * handler.
	 */
	private boolean parsedForContent;

	/**
	 * Creates the request.
	 * @param request the request around it
	 * @param settings the settings of all requests
	 * @param refusals refuses the request, for a problem and an action as in messages,
	 * and returns the exception to throw
	 * @throws RequestTooLargeException if its announced length is over the limit
	 */
	public HandlerRequest(HttpServletRequest request, Settings settings,
			BiFunction<String, String, InvalidIdempotentException> refusals) {
		super(request);
		this.settings = settings;
		this.refusals = refusals;
		ServletRequest innermost = request;
		while (innermost instanceof ServletRequestWrapper wrapper) {
			innermost = wrapper.getRequest();
		}
		this.container = (HttpServletRequest) innermost;
		this.multipart = WebUtils.getNativeRequest(request, MultipartHttpServletRequest.class);
		if (this.multipart == null && request.getContentLengthLong() > settings.limit) {
			throw tooLarge();
		}
	}

	/**
	 * Rewinds the body to its beginning.
	 */
	public void rewind() {
		this.stream = null;
		this.reader = null;
	}

	/**
	 * Returns the content. What the handler has not read yet is read now.
	 * @throws InvalidIdempotentException if it cannot be known, since something else has
	 * read the body
	 * @throws RuntimeException the container's, if it refuses the form, or Spring MVC's
	 * for a body that cannot be read
	 */
	public RequestContent content() {
		try {
			return (this.multipart != null) ? content(this.multipart) : contentOfStream();
		}
		catch (IOException ex) {
			throw new HttpMessageNotReadableException("The body cannot be read", ex,
					new ServletServerHttpRequest(this));
		}
		catch (ServletException ex) {
			throw new MultipartException("The parts cannot be read", ex);
		}
	}

	private RequestContent content(MultipartHttpServletRequest multipart) throws IOException, ServletException {
		FingerprintSource.Multipart parts = Parts.of(multipart);
		if (parts.parts().isEmpty() && received() != 0 && !Parts.hasFields(multipart)) {
			Parts.requireForm(this);
			throw consumed();
		}
		return new RequestContent(this, parameters(super.getParameterMap()), parts, this.settings);
	}

	private RequestContent contentOfStream() throws IOException {
		Map<String, List<String>> parameters = null;
		if (this.bytes == null && isForm()) {
			long before = this.settings.received.count(this.container);
			parameters = parameters(super.getParameterMap());
			this.parsedForContent = before <= 0 && received() != 0;
		}
		byte[] content = bytes();
		requireWhole(content);
		if (parameters == null) {
			try {
				parameters = parameters(super.getParameterMap());
			}
			catch (RuntimeException ex) {
				// A handler that reads them is refused by whatever refuses them; any
				// other handler does not notice.
			}
		}
		return new RequestContent(this, parameters, new FingerprintSource.Bytes(content), this.settings);
	}

	/**
	 * Copies parameters. Spring's filter gives a field without a value {@code null}.
	 */
	private static Map<String, List<String>> parameters(Map<String, @Nullable String[]> map) {
		if (map.isEmpty()) {
			return Map.of();
		}
		Map<String, List<String>> parameters = new LinkedHashMap<>();
		map.forEach((name, values) -> parameters.put(name,
				Arrays.stream(values).map((value) -> Objects.requireNonNullElse(value, "")).toList()));
		return parameters;
	}

	/**
	 * Fails if the bytes are not all that the client has sent, unless a wrapper provides
	 * its own in their place, or a form was parsed.
	 */
	private void requireWhole(byte[] content) throws IOException {
		if (content.length > 0 && content.length == this.container.getContentLengthLong()) {
			return;
		}
		long received = received();
		boolean whole = (content.length > 0) ? received < 0 || content.length == received || !isStreamOfContainer()
				: received == 0 || (isForm() && isParsed());
		if (!whole) {
			throw consumed();
		}
	}

	/**
	 * Returns the number of bytes that the client has sent, as far as they were read,
	 * negative if it is unknown.
	 */
	private long received() {
		long counted = this.settings.received.count(this.container);
		long announced = this.container.getContentLengthLong();
		if (counted >= 0 || announced >= 0) {
			return (counted >= 0) ? counted : announced;
		}
		// Without a length and without chunks there is no body (RFC 9112 section 6.3).
		return (this.container.getProtocol().startsWith("HTTP/1.")
				&& this.container.getHeader(HttpHeaders.TRANSFER_ENCODING) == null) ? 0 : -1;
	}

	/**
	 * Returns whether the stream is the container's, which passes each byte on once.
	 */
	private boolean isStreamOfContainer() throws IOException {
		ServletRequest layer = getRequest();
		while (layer instanceof ServletRequestWrapper wrapper
				&& (layer instanceof ContentCachingRequestWrapper || hasStreamOfWrapped(wrapper))) {
			layer = wrapper.getRequest();
		}
		return layer == this.container;
	}

	private static boolean hasStreamOfWrapped(ServletRequestWrapper wrapper) throws IOException {
		try {
			return wrapper.getInputStream() == wrapper.getRequest().getInputStream();
		}
		catch (IllegalStateException ex) {
			// The wrapped request is read by its reader.
			return false;
		}
	}

	/**
	 * Returns whether a form was parsed: by the container, which then has more values
	 * than the query can hold, or in its place by Spring's filter for methods other than
	 * POST.
	 */
	private boolean isParsed() {
		String query = this.container.getQueryString();
		long inQuery = (query != null) ? 1 + query.chars().filter((character) -> character == '&').count() : 0;
		if (this.container.getParameterMap().values().stream().mapToLong((values) -> values.length).sum() > inQuery) {
			return true;
		}
		ServletRequest layer = getRequest();
		while (layer instanceof ServletRequestWrapper wrapper
				&& layer.getClass().getEnclosingClass() != FormContentFilter.class) {
			layer = wrapper.getRequest();
		}
		return layer != this.container;
	}

	private byte[] bytes() throws IOException {
		if (this.bytes != null) {
			return this.bytes;
		}
		int limit = this.settings.limit;
		long length = getContentLengthLong();
		InputStream in;
		try {
			in = super.getInputStream();
		}
		catch (IllegalStateException ex) {
			throw refuse("got a request whose body a filter reads by getReader, so that its bytes are unknown.",
					"Read it by getInputStream in the filter, and pass a request on whose body can be read again.");
		}
		byte[] announced;
		if (length >= 0 && length <= AT_ONCE) {
			announced = new byte[(int) length];
			int read = in.readNBytes(announced, 0, announced.length);
			announced = (read < length) ? Arrays.copyOf(announced, read) : announced;
		}
		else {
			announced = in.readNBytes((length >= 0) ? (int) length : limit);
		}
		int next = in.read();
		if (next != -1) {
			// A filter that unpacks the body may leave the length of the packed one.
			byte[] rest = in.readNBytes(limit - announced.length);
			if (announced.length + rest.length >= limit) {
				throw tooLarge();
			}
			announced = ByteBuffer.allocate(announced.length + 1 + rest.length)
				.put(announced)
				.put((byte) next)
				.put(rest)
				.array();
		}
		this.bytes = announced;
		return announced;
	}

	@Override
	public ServletInputStream getInputStream() throws IOException {
		if (this.stream == null) {
			byte[] content = bytes();
			if (content.length == 0 && this.parsedForContent && !this.parametersRead) {
				throw refuse("reads the body of a form after its parameters were read for the fingerprint.",
						"Take the body as a parameter of the handler, of type InputStream or Reader, or read parameters.");
			}
			this.stream = new BodyStream(content);
		}
		return this.stream;
	}

	@Override
	public BufferedReader getReader() throws IOException {
		if (this.reader == null) {
			this.reader = new BufferedReader(new InputStreamReader(getInputStream(), charset()));
		}
		return this.reader;
	}

	/**
	 * Returns the charset of the body (Servlet 6.1 section 3.12).
	 */
	private Charset charset() {
		String encoding = getCharacterEncoding();
		return (encoding != null) ? Charset.forName(encoding) : StandardCharsets.ISO_8859_1;
	}

	@Override
	public @Nullable String getParameter(String name) {
		this.parametersRead = true;
		return super.getParameter(name);
	}

	@Override
	public Map<String, String[]> getParameterMap() {
		this.parametersRead = true;
		return super.getParameterMap();
	}

	@Override
	public Enumeration<String> getParameterNames() {
		this.parametersRead = true;
		return super.getParameterNames();
	}

	@Override
	public String @Nullable [] getParameterValues(String name) {
		this.parametersRead = true;
		return super.getParameterValues(name);
	}

	boolean isForm() {
		return StringUtils.startsWithIgnoreCase(getContentType(), MediaType.APPLICATION_FORM_URLENCODED_VALUE);
	}

	private InvalidIdempotentException consumed() {
		return refuse("got a request whose body a filter has consumed, wholly or in part.",
				"Pass a request on whose body can be read again, or read it in the handler.");
	}

	private InvalidIdempotentException refuse(String problem, String action) {
		return this.refusals.apply(problem, action);
	}

	private RequestTooLargeException tooLarge() {
		return new RequestTooLargeException(
				"The request body is larger than the " + this.settings.limit + " bytes that this operation accepts.");
	}

	/**
	 * A stream of a body that is in memory.
	 */
	static final class BodyStream extends ServletInputStream {

		private final ByteArrayInputStream bytes;

		BodyStream(byte[] content) {
			this.bytes = new ByteArrayInputStream(content);
		}

		@Override
		public int read() {
			return this.bytes.read();
		}

		@Override
		public int read(byte[] target, int offset, int length) {
			return this.bytes.read(target, offset, length);
		}

		@Override
		public int available() {
			return this.bytes.available();
		}

		@Override
		public boolean isFinished() {
			return this.bytes.available() == 0;
		}

		@Override
		public boolean isReady() {
			return true;
		}

		@Override
		public void setReadListener(ReadListener listener) {
			try {
				listener.onDataAvailable();
				listener.onAllDataRead();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

	/**
	 * The settings of all requests.
	 *
	 * @param limit the largest body that is kept in memory, in bytes
	 * @param parts the parts of requests that are stored
	 * @param sensitive the names that are never stored, and the ids of sessions in paths
	 * @param received the count of the container
	 */
	record Settings(int limit, CommandParts parts, SensitiveNames sensitive, ReceivedBytes received) {

		/**
		 * Creates the settings.
		 * @param settings the settings of the HTTP side
		 * @param sensitive the names that are never stored
		 * @param received the count of the container
		 * @return the settings
		 */
		public static Settings of(WebSettings settings, SensitiveNames sensitive, ReceivedBytes received) {
			return new Settings(settings.maxRequestBody(), CommandParts.of(settings), sensitive, received);
		}

	}

}
