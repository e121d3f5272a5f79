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
package dev.idempotency.client;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpRequest;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;

import dev.idempotency.engine.identity.OutgoingKey;

/**
 * Adds keys to the requests of a RestClient or a RestTemplate, and repeats requests with
 * a key as long as their outcome is undecided:
 * <ol>
 * <li>A key in the request is kept. Otherwise a request with one of the configured
 * methods gets the key of its operation ({@link IdempotencyKeys}, or a foreign step in
 * phases), or a new one.</li>
 * <li>A request with a key is sent again, with the same key and the same bytes, after I/O
 * errors, 425, 429, 502, 503, 504, and a 409 that has a {@code Retry-After} or is a
 * problem of type in-progress. Never after anything else, in particular not after
 * 422.</li>
 * <li>After an attempt without a response, any 409 may be about that attempt, and the
 * request is sent again unless the 409 is marked as a replay.</li>
 * <li>Before each further attempt it waits for {@code Retry-After} plus a growing random
 * time. When attempts or time are exhausted, the caller gets the last response or error,
 * and an {@link IOException} in place of a 409 that may be about an earlier attempt.</li>
 * </ol>
 * The body is held in memory meanwhile, as with every interceptor. A response whose body
 * breaks off later is not requested again: for that, wrap the call in an
 * {@linkplain IdempotencyKeys operation}, and retry within it.
 */
public final class IdempotencyClientInterceptor implements ClientHttpRequestInterceptor {

	private final RequestKeys keys;

	private final ClientSettings.Retry retry;

	private final RetryTime time;

	/**
	 * Creates an interceptor.
	 * @param settings its behaviour
	 * @param generator makes keys
	 */
	public IdempotencyClientInterceptor(ClientSettings settings, IdempotencyKeyGenerator generator) {
		this(settings, generator, RetryTime.SYSTEM);
	}

	IdempotencyClientInterceptor(ClientSettings settings, IdempotencyKeyGenerator generator, RetryTime time) {
		this.keys = new RequestKeys(settings, generator);
		this.retry = settings.retry();
		this.time = time;
	}

	@Override
	public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
			throws IOException {
		RequestKey key = this.keys.keyFor(request.getMethod(), request.getURI(), request.getHeaders(),
				OutgoingKey.current());
		if (key == null) {
			return execution.execute(request, body);
		}
		key.addTo(request.getHeaders());
		RetrySchedule schedule = new RetrySchedule(this.retry, this.time);
		while (true) {
			Duration wait;
			try {
				ClientHttpResponse response = ReadableProblem.of(execution.execute(request, body));
				int status = response.getStatusCode().value();
				String problem = (response instanceof ReadableProblem readable) ? readable.text() : "";
				if (!key.isRetryable(status, response.getHeaders(), problem)) {
					return response;
				}
				wait = schedule.next(response.getHeaders());
				if (wait == null && !key.isConflict(status)) {
					return response;
				}
				response.close();
			}
			catch (IOException ex) {
				key.unanswered();
				wait = Thread.currentThread().isInterrupted() ? null : schedule.next();
				if (wait == null) {
					throw ex;
				}
			}
			if (wait == null) {
				throw key.stillInProgress();
			}
			if (!this.time.pause(wait)) {
				throw new InterruptedIOException("Interrupted before the next attempt of " + request.getMethod());
			}
		}
	}

	/**
	 * A response with a problem in its body, which both this interceptor and the caller
	 * read.
	 */
	private static final class ReadableProblem implements ClientHttpResponse {

		/**
		 * The examined part of the body, in bytes: no problem of this kind is larger.
		 */
		private static final int LIMIT = 64 * 1024;

		private final ClientHttpResponse response;

		private final byte[] head;

		private final InputStream body;

		private ReadableProblem(ClientHttpResponse response) throws IOException {
			this.response = response;
			InputStream rest = response.getBody();
			this.head = rest.readNBytes(LIMIT);
			this.body = new SequenceInputStream(new ByteArrayInputStream(this.head), rest);
		}

		/**
		 * Returns a response whose problem can be read, if its body has to be examined.
		 */
		static ClientHttpResponse of(ClientHttpResponse response) throws IOException {
			try {
				boolean problem = RequestKey.isProblem(response.getStatusCode().value(), response.getHeaders());
				return problem ? new ReadableProblem(response) : response;
			}
			catch (IOException | RuntimeException ex) {
				response.close();
				throw ex;
			}
		}

		String text() {
			return new String(this.head, StandardCharsets.UTF_8);
		}

		@Override
		public HttpStatusCode getStatusCode() throws IOException {
			return this.response.getStatusCode();
		}

		@Override
		public String getStatusText() throws IOException {
			return this.response.getStatusText();
		}

		@Override
		public HttpHeaders getHeaders() {
			return this.response.getHeaders();
		}

		@Override
		public InputStream getBody() {
			return this.body;
		}

		@Override
		public void close() {
			this.response.close();
		}

	}

}
