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
package dev.idempotency.test;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;

import dev.idempotency.HeaderSyntax;

/**
 * The handling of requests in the running test: keys and second deliveries. The settings
 * belong to the thread of the test and to those that it starts.
 */
final class TestRequests {

	private static final List<Integer> NOT_FINAL = List.of(HttpStatus.REQUEST_TIMEOUT.value(),
			HttpStatus.TOO_EARLY.value(), HttpStatus.TOO_MANY_REQUESTS.value());

	private final ThreadLocal<RequestSettings> settings = new InheritableThreadLocal<>();

	private final ThreadLocal<Boolean> delivering = new ThreadLocal<>();

	private final KeyField field;

	private final Supplier<Map<String, EffectProbe>> probes;

	/**
	 * Creates the state of a context.
	 * @param field the place of the key of a request, and the marker of a replay
	 * @param probes the probes by their names
	 */
	TestRequests(KeyField field, Supplier<Map<String, EffectProbe>> probes) {
		this.field = field;
		this.probes = probes;
	}

	void begin(RequestSettings begun) {
		this.settings.set(begun);
	}

	void end() {
		this.settings.remove();
	}

	private RequestSettings current() {
		RequestSettings current = this.settings.get();
		return (current != null) ? current : RequestSettings.NONE;
	}

	KeyField field() {
		return this.field;
	}

	/**
	 * Returns the key to add to a request without one, as the value of its header.
	 */
	Optional<String> headerFor(@Nullable String method) {
		return current().keyFor(method).map(this.field.syntax()::format);
	}

	/**
	 * Returns whether requests with a key are delivered twice, and the current request is
	 * not such a delivery.
	 */
	boolean isTwice() {
		return current().twice() != null && this.delivering.get() == null;
	}

	/**
	 * Performs a delivery once. Requests sent meanwhile are not delivered twice: a client
	 * may send through another one that delivers twice as well.
	 */
	<T, E extends Exception> T once(Delivery<T, E> delivery) throws E {
		this.delivering.set(true);
		try {
			return delivery.deliver();
		}
		finally {
			this.delivering.remove();
		}
	}

	/**
	 * Repeats a request whose first response is known, and compares.
	 * @param request the request, for the message
	 * @param first the first response
	 * @param again the second delivery
	 */
	<E extends Exception> void repeat(String request, DeliveredResponse first, Delivery<DeliveredResponse, E> again)
			throws E {
		if (isFinal(first)) {
			Map<String, Long> before = countEffects();
			DeliveredResponse second = once(again);
			List<String> effects = countEffects().entrySet()
				.stream()
				.filter((now) -> !now.getValue().equals(before.get(now.getKey())))
				.map((now) -> "effects: " + now.getKey() + " counted " + before.get(now.getKey())
						+ " before the second delivery and " + now.getValue() + " after it")
				.toList();
			new ResponseComparison(request, this.field.marker(), current().ignoredHeaders()).requireReplay(first,
					second, effects);
		}
	}

	private Map<String, Long> countEffects() {
		Map<String, Long> counts = new TreeMap<>();
		this.probes.get().forEach((name, probe) -> counts.put(name, probe.count()));
		return counts;
	}

	private static boolean isFinal(DeliveredResponse response) {
		return !HttpStatusCode.valueOf(response.status()).is5xxServerError() && !NOT_FINAL.contains(response.status())
				&& !response.isInProgress();
	}

	/**
	 * A delivery of a request.
	 *
	 * @param <T> the type of its response
	 * @param <E> the type of its exception
	 */
	@FunctionalInterface
	interface Delivery<T, E extends Exception> {

		T deliver() throws E;

	}

	/**
	 * The place of the key in a request, and the header that marks its replay.
	 *
	 * @param header the header with the key
	 * @param syntax the spelling of the key
	 * @param marker the header that marks a replay
	 */
	record KeyField(String header, HeaderSyntax syntax, String marker) {

		static KeyField of(Environment environment) {
			HeaderSyntax syntax = Binder.get(environment)
				.bind("idempotency.header-syntax", HeaderSyntax.class)
				.orElse(HeaderSyntax.LENIENT);
			return new KeyField(environment.getProperty("idempotency.header", "Idempotency-Key"), syntax,
					environment.getProperty("idempotency.replay.marker", "Idempotent-Replayed"));
		}

	}

}
