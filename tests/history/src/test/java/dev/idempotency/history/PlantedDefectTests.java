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
import java.util.List;
import java.util.stream.Collectors;

import dev.idempotency.history.HistoryChecker.Violation;
import dev.idempotency.history.HistoryRun.Report;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.convert.DurationStyle;

import static org.assertj.core.api.Assertions.fail;

/**
 * The instrument finds what it is there to find, within a few runs.
 */
@Tag("planted")
class PlantedDefectTests {

	private static final int RUNS = 4;

	static List<Plant> plants() {
		String one = System.getProperty(Plant.PROPERTY);
		return (one != null) ? List.of(Plant.valueOf(one)) : List.of(Plant.values());
	}

	@ParameterizedTest
	@MethodSource("plants")
	void aPlantedDefectIsFound(Plant plant) throws InterruptedException {
		long seed = Long.getLong("history.seed", System.nanoTime() % 1_000_000);
		Duration duration = DurationStyle.detectAndParse(System.getProperty("history.duration", "10s"));
		int keys = 0;
		for (int run = 0; run < RUNS; run++) {
			Report report = HistoryRun.run(seed + run, duration, plant);
			keys += report.keys();
			System.out.println(report.summary());
			if (!report.violations().isEmpty()) {
				System.out
					.println("FOUND " + plant + " after " + keys + " keys with -Dhistory.seed=" + report.seed() + ": "
							+ report.violations()
								.stream()
								.collect(Collectors.groupingBy(Violation::promise, Collectors.counting())));
				return;
			}
		}
		fail(plant + " was not found after " + keys + " keys, from -Dhistory.seed=" + seed);
	}

}
