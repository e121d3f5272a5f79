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

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TimeOrderedKeysTests {

	private static final Instant NOW = Instant.parse("2026-03-01T12:00:00.123Z");

	private final TimeOrderedKeys stopped = new TimeOrderedKeys(Clock.fixed(NOW, ZoneOffset.UTC));

	@Test
	void aKeyIsAUuidOfVersion7WithTheTimeInFront() {
		UUID key = UUID.fromString(this.stopped.newKey());
		assertThat(key.version()).isEqualTo(7);
		assertThat(key.variant()).isEqualTo(2);
		assertThat(key.getMostSignificantBits() >>> 16).isEqualTo(NOW.toEpochMilli());
	}

	@Test
	void keysGrowWithinAMillisecondAndBeyondTheCounter() {
		List<String> keys = IntStream.range(0, 10_000).mapToObj((number) -> this.stopped.newKey()).toList();
		assertThat(keys).isSorted().doesNotHaveDuplicates();
		assertThat(UUID.fromString(keys.get(9_999)).getMostSignificantBits() >>> 16).isGreaterThan(NOW.toEpochMilli());
	}

	@Test
	void keysGrowWhenTheClockGoesBack() {
		List<Instant> times = new ArrayList<>(List.of(NOW, NOW.minusSeconds(3600), NOW.minusSeconds(7200)));
		TimeOrderedKeys keys = new TimeOrderedKeys(new Clock() {

			@Override
			public ZoneOffset getZone() {
				return ZoneOffset.UTC;
			}

			@Override
			public Clock withZone(java.time.ZoneId zone) {
				return this;
			}

			@Override
			public Instant instant() {
				return times.remove(0);
			}

		});
		assertThat(List.of(keys.newKey(), keys.newKey(), keys.newKey())).isSorted().doesNotHaveDuplicates();
	}

	@Test
	void threadsDoNotMakeTheSameKey() {
		Set<String> prefixes = ConcurrentHashMap.newKeySet();
		IntStream.range(0, 20_000).parallel().forEach((number) -> prefixes.add(this.stopped.newKey().substring(0, 18)));
		assertThat(prefixes).as("time and counter alone").hasSize(20_000);
	}

	@Test
	void randomKeysAreUuidsOfVersion4() {
		IdempotencyKeyGenerator random = KeyFormat.UUID_V4.newGenerator();
		List<String> keys = List.of(random.newKey(), random.newKey());
		assertThat(new HashSet<>(keys)).hasSize(2)
			.allSatisfy((key) -> assertThat(UUID.fromString(key).version()).isEqualTo(4));
	}

}
