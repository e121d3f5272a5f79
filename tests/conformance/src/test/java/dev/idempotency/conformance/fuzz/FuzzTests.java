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

package dev.idempotency.conformance.fuzz;

import java.util.List;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.transaction.annotation.Isolation;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Generated handlers and requests. System properties: {@code fuzz.cases} for the number
 * of cases of all settings, {@code fuzz.seed} for other ones, {@code fuzz.case} for the
 * one that a failure names, with {@code fuzz.exceptions=error} to see what was thrown.
 */
@Tag("postgresql")
class FuzzTests {

	private static final Log logger = LogFactory.getLog(FuzzTests.class);

	private static final int CASES = Integer.getInteger("fuzz.cases", 60);

	private static final long SEED = Long.getLong("fuzz.seed", 13L);

	private static final String ONE = System.getProperty("fuzz.case", "");

	/**
	 * More of them are of the same kind, and each costs new servers.
	 */
	private static final int FAILURES = Integer.getInteger("fuzz.failures", 5);

	static Stream<FuzzSetting> settings() {
		return ONE.isEmpty() ? FuzzSetting.all().stream()
				: Stream.of(FuzzSetting.parse(ONE.substring(0, ONE.indexOf('/'))));
	}

	@ParameterizedTest
	@MethodSource("settings")
	void everyAnswerIsTrueAndNothingIsLeftBehind(FuzzSetting setting) {
		int cases = 0;
		FuzzGenerator generator = new FuzzGenerator(setting, SEED * 31 + FuzzSetting.all().indexOf(setting));
		try (FuzzRun run = new FuzzRun(setting, !"false".equals(System.getProperty("fuzz.simplify")))) {
			if (!ONE.isEmpty()) {
				run.run(FuzzCase.parse(ONE.substring(ONE.indexOf('/') + 1)));
			}
			for (; ONE.isEmpty() && cases < CASES / FuzzSetting.all().size()
					&& run.failures().size() < FAILURES; cases++) {
				run.run(generator.next());
			}
			logger.info("Fuzz " + setting + ": seed " + SEED + ", " + cases + " cases, " + generator.pairs()
					+ " pairs of values, " + run.failures().size() + " failures");
			assertThat(run.failures()).as("seed " + SEED).isEmpty();
		}
	}

	/**
	 * Cases that a seed draws now and then.
	 */
	@Test
	void aTransactionBesideTheOneThatHoldsTheLeaseIsRefusedBeforeAnythingIsWritten() {
		FuzzSetting setting = new FuzzSetting(true, Isolation.REPEATABLE_READ);
		try (FuzzRun run = new FuzzRun(setting, false)) {
			List<FuzzCase> cases = Stream.of(Point.values())
				.flatMap((point) -> Stream.of(Ending.RETURN_201, Ending.THROW_UNMAPPED)
					.map((ending) -> new FuzzCase(Protection.LEASED, Placement.PUBLIC_METHOD, Shape.ENTITY,
							Answering.AT_ONCE, Place.FIRST, Writes.REQUIRES_NEW, ending, point, Content.values()[0],
							Advice.NONE)))
				.filter((fuzz) -> fuzz.isPossible() && setting.refusesNested(fuzz))
				.toList();
			assertThat(cases).extracting(FuzzCase::point)
				.contains(Point.AFTER_WRITE, Point.IN_SERVICE, Point.SWALLOWED, Point.RENDERING);
			cases.forEach(run::run);
			assertThat(run.failures()).isEmpty();
		}
	}

}
