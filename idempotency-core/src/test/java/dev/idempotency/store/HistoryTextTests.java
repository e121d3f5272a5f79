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

import java.time.Instant;

import org.junit.jupiter.api.Test;

import dev.idempotency.operator.RequestHistory;
import dev.idempotency.operator.RequestHistory.Entry;
import dev.idempotency.operator.RequestHistory.Kind;

import static org.assertj.core.api.Assertions.assertThat;

class HistoryTextTests {

	private static final Instant AT = Instant.parse("2026-11-23T03:12:00.123456Z");

	@Test
	void entriesAreReadAsTheyWereWritten() {
		String text = HistoryText.append("", AT, HistoryText.CLAIMED);
		text = HistoryText.append(text, AT, HistoryText.line(Kind.STEP, "ride_created"));
		text = HistoryText.append(text, AT, HistoryText.line(Kind.INTERRUPTED, null));
		RequestHistory history = HistoryText.parse(text);
		assertThat(history.entries()).containsExactly(new Entry(AT, Kind.CLAIMED, history.entries().get(0).detail()),
				new Entry(AT, Kind.STEP, "ride_created"), new Entry(AT, Kind.INTERRUPTED, ""));
		assertThat(history.node()).matches(".+:\\d+").isEqualTo(history.entries().get(0).detail());
	}

	@Test
	void nothingIsTheHistoryOfNothing() {
		assertThat(HistoryText.parse("")).isEqualTo(RequestHistory.NONE);
		assertThat(HistoryText.parse(null)).isEqualTo(RequestHistory.NONE);
		assertThat(RequestHistory.NONE.node()).isNull();
	}

	@Test
	void anEntryThatWasCutIsLeftOut() {
		String text = "";
		for (int i = 0; text.length() < HistoryText.MAX_LENGTH; i++) {
			text = HistoryText.append(text, AT, HistoryText.line(Kind.STEP, "step " + i));
		}
		assertThat(text).hasSize(HistoryText.MAX_LENGTH);
		assertThat(HistoryText.parse(text).entries()).hasSizeGreaterThan(50)
			.allSatisfy((entry) -> assertThat(entry.at()).isEqualTo(AT));
	}

	@Test
	void aDetailIsOneLineAndShort() {
		String line = HistoryText.line(Kind.STEP, "a\nb\r" + "c".repeat(1000));
		assertThat(line.strip().lines()).hasSize(1);
		assertThat(line).hasSizeLessThan(320);
	}

	@Test
	void aKindOfANewerVersionIsLeftOut() {
		assertThat(HistoryText.parse("1 asleep \n2 step a\n").entries()).extracting(Entry::kind)
			.containsExactly(Kind.STEP);
	}

}
