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
package dev.idempotency.engine.identity;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TimeOrderedIdsTests {

	private static final long NOW = Instant.parse("2026-03-01T12:00:00.123Z").toEpochMilli();

	private final TimeOrderedIds stopped = new TimeOrderedIds(() -> NOW);

	@Test
	void anIdIsAUuidOfVersion7WithTheTimeInFront() {
		UUID id = this.stopped.next();
		assertThat(id.version()).isEqualTo(7);
		assertThat(id.variant()).isEqualTo(2);
		assertThat(id.getMostSignificantBits() >>> 16).isEqualTo(NOW);
	}

	@Test
	void idsGrowWithinAMillisecondAndBeyondTheCounter() {
		List<String> ids = IntStream.range(0, 10_000).mapToObj((number) -> this.stopped.next().toString()).toList();
		assertThat(ids).isSorted().doesNotHaveDuplicates();
		assertThat(UUID.fromString(ids.get(9_999)).getMostSignificantBits() >>> 16).isGreaterThan(NOW);
	}

	@Test
	void idsGrowWhenTheClockGoesBack() {
		long hour = Duration.ofHours(1).toMillis();
		List<Long> times = new ArrayList<>(List.of(NOW, NOW - hour, NOW - 2 * hour));
		TimeOrderedIds ids = new TimeOrderedIds(() -> times.remove(0));
		assertThat(List.of(ids.next().toString(), ids.next().toString(), ids.next().toString())).isSorted()
			.doesNotHaveDuplicates();
	}

	@Test
	void threadsDoNotMakeTheSameId() {
		Set<String> prefixes = ConcurrentHashMap.newKeySet();
		IntStream.range(0, 20_000)
			.parallel()
			.forEach((number) -> prefixes.add(this.stopped.next().toString().substring(0, 18)));
		assertThat(prefixes).as("time and counter alone").hasSize(20_000);
	}

}
