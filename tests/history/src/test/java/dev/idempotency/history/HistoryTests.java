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
package dev.idempotency.history;

import java.time.Duration;

import dev.idempotency.history.HistoryRun.Report;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.convert.DurationStyle;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A run against the library: see the README of this module.
 */
@Tag("history")
class HistoryTests {

	@Test
	void whateverHappensEachKeyHasOneEffectAndOneAnswer() throws InterruptedException {
		long seed = Long.getLong("history.seed", System.nanoTime() % 1_000_000);
		Duration duration = DurationStyle.detectAndParse(System.getProperty("history.duration", "30s"));
		for (int run = 0; run < Integer.getInteger("history.runs", 1); run++) {
			System.out.println("Faults for " + duration.toSeconds() + " s with -Dhistory.seed=" + (seed + run));
			Report report = HistoryRun.run(seed + run, duration, null);
			System.out.println(report.summary());
			assertThat(report.violations()).as(report.summary() + "\n" + report.details()).isEmpty();
			assertThat(report.keys()).isPositive();
		}
	}

}
