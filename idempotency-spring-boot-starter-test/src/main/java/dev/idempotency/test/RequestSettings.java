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

import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.idempotency.test.WithIdempotencyKey.Per;

/**
 * The settings for the requests of a test.
 *
 * @param key the key of all requests, {@code null} if there is none
 * @param keyed the annotation that adds a key to requests, {@code null} if there is none
 * @param twice the annotation that delivers requests twice, {@code null} if there is none
 */
record RequestSettings(@Nullable String key, @Nullable WithIdempotencyKey keyed, @Nullable DeliverTwice twice) {

	static final RequestSettings NONE = new RequestSettings(null, null, null);

	static RequestSettings of(@Nullable WithIdempotencyKey keyed, @Nullable DeliverTwice twice) {
		return new RequestSettings((keyed != null) ? key(keyed) : null, keyed, twice);
	}

	private static @Nullable String key(WithIdempotencyKey keyed) {
		if (!keyed.value().isEmpty()) {
			return keyed.value();
		}
		return (keyed.per() == Per.TEST) ? UUID.randomUUID().toString() : null;
	}

	/**
	 * Returns the key to add to a request without one.
	 */
	Optional<String> keyFor(@Nullable String method) {
		if (this.keyed == null || !Set.of(this.keyed.methods()).contains(method)) {
			return Optional.empty();
		}
		return Optional.of((this.key != null) ? this.key : UUID.randomUUID().toString());
	}

	Set<String> ignoredHeaders() {
		return (this.twice != null) ? Stream.of(this.twice.ignoredHeaders())
			.map((name) -> name.toLowerCase(Locale.ROOT))
			.collect(Collectors.toUnmodifiableSet()) : Set.of();
	}

}
