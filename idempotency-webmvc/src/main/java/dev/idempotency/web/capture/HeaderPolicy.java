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
package dev.idempotency.web.capture;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.util.ConcurrentLruCache;

import dev.idempotency.engine.codec.StoredResponse.HeaderField;

/**
 * The selection of a handler's header lines to store.
 */
final class HeaderPolicy {

	/**
	 * Hop-by-hop fields (RFC 9110 section 7.6.1) and fields that are created for each
	 * exchange, in addition to credentials and traces.
	 */
	private static final Set<String> DENIED = Set.of("connection", "keep-alive", "te", "trailer", "transfer-encoding",
			"upgrade", "date", "age", "content-length");

	/**
	 * The denied prefixes. Rate limits count requests, including replays, and access is
	 * granted to the origin of one exchange.
	 */
	private static final List<String> DENIED_PREFIXES = List.of("proxy-", "x-ratelimit", "x-rate-limit", "ratelimit",
			"rate-limit", "x-app-rate-limit", "x-method-rate-limit", "access-control-");

	private static final Set<String> ADDRESSES = Set.of("location", "content-location", "link", "refresh");

	private final Set<String> denied;

	private final SessionIds sessionIds;

	/**
	 * The decisions for the names that handlers have written last, most of which are
	 * written by every response.
	 */
	private final ConcurrentLruCache<String, Decision> decisions = new ConcurrentLruCache<>(256, this::decide);

	/**
	 * Creates a policy.
	 * @param denied names that are not stored, in addition to the fixed ones
	 * @param sessionIds the session ids that are removed from addresses
	 */
	HeaderPolicy(Collection<String> denied, SessionIds sessionIds) {
		this.sessionIds = sessionIds;
		this.denied = Stream.concat(DENIED.stream(), lowerCase(denied)).collect(Collectors.toUnmodifiableSet());
	}

	private static Stream<String> lowerCase(Collection<String> names) {
		return names.stream().map((name) -> name.trim().toLowerCase(Locale.ROOT));
	}

	List<HeaderField> stored(List<HeaderField> fields) {
		List<HeaderField> stored = new ArrayList<>(fields.size());
		for (HeaderField field : fields) {
			switch (this.decisions.get(field.name())) {
				case STORED -> stored.add(field);
				case ADDRESS -> stored.add(withoutSession(field));
				case DROPPED -> {
				}
			}
		}
		return stored;
	}

	private Decision decide(String writtenName) {
		String name = writtenName.toLowerCase(Locale.ROOT);
		if (SensitiveNames.isCredential(name) || SensitiveNames.isTrace(name) || this.denied.contains(name)
				|| DENIED_PREFIXES.stream().anyMatch(name::startsWith)) {
			return Decision.DROPPED;
		}
		return ADDRESSES.contains(name) ? Decision.ADDRESS : Decision.STORED;
	}

	/**
	 * Removes session ids from an address: a stored answer is replayed to every sender of
	 * the request, and the id would reveal the session of the first one.
	 */
	private HeaderField withoutSession(HeaderField field) {
		String address = field.value();
		return (address != null) ? new HeaderField(field.name(), this.sessionIds.removeFrom(address), field.added())
				: field;
	}

	private enum Decision {

		DROPPED, STORED, ADDRESS

	}

}
