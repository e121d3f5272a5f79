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
package dev.idempotency.logging;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The ids of log lines, and docs/operations/logs.md against the enum.
 */
@ExtendWith(OutputCaptureExtension.class)
class LogEventTests {

	private static final Pattern ROW = Pattern.compile("- \\*\\*`(IDEM-\\d+)` (\\w+)\\*\\*: .+\\.");

	@Test
	void thePageListsExactlyTheEventsOfTheEnum() throws IOException {
		List<String> rows;
		try (var lines = Files.lines(Path.of("..", "docs", "operations", "logs.md"))) {
			rows = lines.filter((line) -> line.startsWith("- **`IDEM-")).toList();
		}
		assertThat(rows).allSatisfy((row) -> assertThat(row).matches(ROW));
		assertThat(rows.stream().map(LogEventTests::event)).containsExactlyElementsOf(
				Arrays.stream(LogEvent.values()).map((event) -> event.id() + " " + event.level()).toList());
	}

	private static String event(String row) {
		Matcher parts = ROW.matcher(row);
		return parts.matches() ? parts.group(1) + " " + parts.group(2) : row;
	}

	@Test
	void idsAreUnique() {
		assertThat(LogEvent.values()).extracting(LogEvent::id).doesNotHaveDuplicates();
	}

	@ParameterizedTest
	@EnumSource(LogEvent.class)
	@Tag("Y5")
	void aLineHasItsLevelAndItsIdAndNoMessageOfAnException(LogEvent event, CapturedOutput output) {
		event.log(LogFactory.getLog(LogEventTests.class), "what happened",
				new IllegalStateException("secret-9b1e", new IllegalArgumentException("secret-9b1e")));
		assertThat(output.getAll().lines()).anyMatch(
				(line) -> line.contains(event.level().name()) && line.endsWith("[" + event.id() + "] what happened"));
		assertThat(output).contains("java.lang.IllegalStateException")
			.contains("java.lang.IllegalArgumentException")
			.contains("at " + LogEventTests.class.getName())
			.doesNotContain("secret-9b1e");
	}

}
