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

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.util.ClassUtils;

import dev.idempotency.web.endpoint.SensitiveNames;

/**
 * Compares the responses to two deliveries of a request.
 *
 * @param request the request, for the message
 * @param marker the header that marks a replay
 * @param ignored names of additional headers that are not compared, in lower case
 */
record AnswerComparison(String request, String marker, Set<String> ignored) {

	/**
	 * Without the library's support of Spring MVC no endpoint is protected.
	 */
	private static final boolean WEBMVC = ClassUtils.isPresent("dev.idempotency.web.endpoint.SensitiveNames",
			AnswerComparison.class.getClassLoader());

	/**
	 * Headers that are created for each exchange, in addition to credentials and traces.
	 */
	private static final Set<String> MADE_ANEW = Set.of("connection", "keep-alive", "te", "trailer",
			"transfer-encoding", "upgrade", "date", "age", "content-length");

	private static final List<String> MADE_ANEW_PREFIXES = List.of("proxy-", "x-ratelimit", "x-rate-limit", "ratelimit",
			"rate-limit", "x-app-rate-limit", "x-method-rate-limit");

	/**
	 * Requires that the second response is the same as the first.
	 * @throws AssertionError with all differences if it is not
	 */
	void requireReplay(DeliveredAnswer first, DeliveredAnswer second, Collection<String> effects) {
		List<String> faults = new ArrayList<>();
		if (!isRefusedAgain(first, second)) {
			faults.addAll(differences(first, second));
		}
		if (isReplayed(first.status()) && !second.isMarked(this.marker)) {
			faults.add("replay: the second response has no header " + this.marker
					+ ", so the handler ran again; is it annotated with @Idempotent?");
		}
		faults.addAll(effects);
		if (!faults.isEmpty()) {
			throw new AssertionError(this.request + " was delivered twice with one idempotency key, and its second "
					+ "delivery was not a replay of the first:\n  " + String.join("\n  ", faults));
		}
	}

	/**
	 * Returns whether both deliveries were rejected before the handler ran, for instance
	 * because of an invalid body. Such a response is not stored, and the second one may
	 * be worded differently.
	 */
	private boolean isRefusedAgain(DeliveredAnswer first, DeliveredAnswer second) {
		return HttpStatusCode.valueOf(first.status()).is4xxClientError() && first.status() == second.status()
				&& !second.isMarked(this.marker);
	}

	private static boolean isReplayed(int status) {
		HttpStatusCode code = HttpStatusCode.valueOf(status);
		return code.is2xxSuccessful() || code.is3xxRedirection();
	}

	List<String> differences(DeliveredAnswer first, DeliveredAnswer second) {
		List<String> differences = new ArrayList<>();
		if (first.status() != second.status()) {
			differences.add("status: first " + first.status() + ", then " + second.status());
		}
		for (String name : comparedNames(first.headers(), second.headers())) {
			List<String> before = first.headers().getOrEmpty(name);
			List<String> after = second.headers().getOrEmpty(name);
			if (!before.equals(after)) {
				differences.add("header " + name + ": first " + before + ", then " + after);
			}
		}
		if (!Arrays.equals(first.body(), second.body())) {
			differences.add("body: first " + first.text() + "\n  body: then  " + second.text());
		}
		return differences;
	}

	private Set<String> comparedNames(HttpHeaders first, HttpHeaders second) {
		Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
		names.addAll(first.headerNames());
		names.addAll(second.headerNames());
		names.removeIf((name) -> isMadeAnew(name.toLowerCase(Locale.ROOT)));
		return names;
	}

	private boolean isMadeAnew(String name) {
		return MADE_ANEW.contains(name) || this.ignored.contains(name) || name.equalsIgnoreCase(this.marker)
				|| MADE_ANEW_PREFIXES.stream().anyMatch(name::startsWith)
				|| (WEBMVC && (SensitiveNames.isCredential(name) || SensitiveNames.isTrace(name)));
	}

}
