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

import java.time.Duration;
import java.time.Instant;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.HttpHeaders;

import static org.assertj.core.api.Assertions.assertThat;

class RetryScheduleTests {

	private static final ClientSettings.Retry RETRY = new ClientSettings.Retry(8, Duration.ofMillis(200),
			Duration.ofSeconds(1), Duration.ofSeconds(30));

	private static HttpHeaders retryAfter(String value) {
		HttpHeaders headers = new HttpHeaders();
		headers.set(HttpHeaders.RETRY_AFTER, value);
		return headers;
	}

	private static Stream<@Nullable Duration> pauses(double chance) {
		RetrySchedule schedule = new RetrySchedule(RETRY, new SimulatedTime(chance));
		return IntStream.range(0, 8).mapToObj((attempt) -> schedule.next());
	}

	@Test
	void theLongestPauseDoublesUpToItsMaximumAndThenThereIsNone() {
		assertThat(pauses(1).map((pause) -> (pause != null) ? pause.toMillis() : -1)).containsExactly(200L, 400L, 800L,
				1000L, 1000L, 1000L, 1000L, -1L);
	}

	@Test
	void theJitterIsFull() {
		assertThat(pauses(0).limit(7)).containsOnly(Duration.ZERO);
		assertThat(pauses(0.5).limit(2)).containsExactly(Duration.ofMillis(100), Duration.ofMillis(200));
	}

	@Test
	void chanceStaysWithinItsBounds() {
		assertThat(IntStream.range(0, 1000).mapToObj((draw) -> RetryTime.SYSTEM.upTo(Duration.ofMillis(10))))
			.allSatisfy((pause) -> assertThat(pause).isBetween(Duration.ZERO, Duration.ofMillis(10)))
			.anySatisfy((pause) -> assertThat(pause).isLessThan(Duration.ofMillis(5)))
			.anySatisfy((pause) -> assertThat(pause).isGreaterThan(Duration.ofMillis(5)));
	}

	@Test
	void noAttemptStartsWhenTheTotalTimeIsOver() {
		SimulatedTime time = new SimulatedTime(0);
		RetrySchedule schedule = new RetrySchedule(RETRY, time);
		assertThat(schedule.next()).isNotNull();
		time.pass(Duration.ofSeconds(30));
		assertThat(schedule.next()).isNull();
	}

	@Test
	void whatTheOtherSystemAsksForIsTheLeastAndChanceComesOnTop() {
		RetrySchedule schedule = new RetrySchedule(RETRY, new SimulatedTime(1));
		assertThat(schedule.next(retryAfter("5"))).isEqualTo(Duration.ofMillis(5200));
	}

	@Test
	void aTimeThatIsNotLeftIsNotCutShort() {
		SimulatedTime time = new SimulatedTime(0);
		RetrySchedule schedule = new RetrySchedule(RETRY, time);
		assertThat(schedule.next(retryAfter("29"))).isEqualTo(Duration.ofSeconds(29));
		time.pass(Duration.ofSeconds(29));
		assertThat(schedule.next(retryAfter("1"))).isNull();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			0                              | PT0S
			120                            | PT2M
			' 3 '                          | PT3S
			99999999999999999999999        | PT87600H
			9223372036854775807            | PT87600H
			Sun, 01 Mar 2026 12:00:10 GMT  | PT10S
			Sunday, 01-Mar-26 12:00:10 GMT | PT10S
			Sun Mar  1 12:00:10 2026       | PT10S
			Sun, 01 Mar 2026 11:00:00 GMT  | PT0S
			""")
	void bothFormsOfRetryAfterAreUnderstood(String value, Duration expected) {
		assertThat(RetrySchedule.retryAfter(retryAfter(value), SimulatedTime.START)).isEqualTo(expected);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			Sun, 01 Mar 2026 15:00:00 GMT | PT10S
			Sun Mar  1 15:00:05 2026      | PT5S
			Sun, 01 Mar 2026 16:00:00 GMT | PT0S
			unreadable                    | PT3H10S
			""")
	@Tag("M10")
	void aDateIsReadAgainstThatOfTheAnswer(String answered, Duration expected) {
		HttpHeaders headers = retryAfter("Sun, 01 Mar 2026 15:00:10 GMT");
		headers.set(HttpHeaders.DATE, answered);
		assertThat(RetrySchedule.retryAfter(headers, SimulatedTime.START)).isEqualTo(expected);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "-1", "1.5", "soon", "Sun, 99 Mar 2026 12:00:10 GMT" })
	void whatIsNeitherIsIgnored(String value) {
		assertThat(RetrySchedule.retryAfter(retryAfter(value), Instant.EPOCH)).isNull();
		assertThat(RetrySchedule.retryAfter(new HttpHeaders(), Instant.EPOCH)).isNull();
	}

}
