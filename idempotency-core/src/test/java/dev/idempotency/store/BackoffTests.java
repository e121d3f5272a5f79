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
package dev.idempotency.store;

import java.time.Duration;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import dev.idempotency.store.UnfinishedStore.Backoff;

import static org.assertj.core.api.Assertions.assertThat;

class BackoffTests {

	@Test
	void growsToItsLimit() {
		Backoff backoff = new Backoff(Duration.ofSeconds(10), Duration.ofMinutes(1));
		assertThat(IntStream.rangeClosed(1, 5).mapToObj(backoff::after)).containsExactly(Duration.ofSeconds(10),
				Duration.ofSeconds(20), Duration.ofSeconds(40), Duration.ofMinutes(1), Duration.ofMinutes(1));
	}

	@Test
	void stopsAtItsLimitAlsoWhereTheNumberOverflows() {
		Backoff backoff = new Backoff(Duration.ofDays(1), Duration.ofDays(3650));
		assertThat(backoff.after(1000)).isEqualTo(Duration.ofDays(3650));
	}

	@Test
	void whatFailedTogetherIsSpreadOverAFifth() {
		Backoff backoff = new Backoff(Duration.ofSeconds(10), Duration.ofMinutes(1));
		assertThat(Stream.generate(() -> backoff.spreadAfter(2)).limit(100)).doesNotHaveDuplicates()
			.allSatisfy((pause) -> assertThat(pause).isBetween(Duration.ofSeconds(16), Duration.ofSeconds(20)));
	}

}
