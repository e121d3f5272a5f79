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
package dev.idempotency.observability;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds the list of docs/reference/metrics.md against the enum.
 */
class MetricsDocumentationTests {

	@Test
	void thePageListsExactlyTheMetersOfTheEnum() throws IOException {
		List<String> rows;
		try (var lines = Files.lines(Path.of("..", "docs", "reference", "metrics.md"))) {
			rows = lines.filter((line) -> line.startsWith("- **`idempotency.")).toList();
		}
		assertThat(rows).containsExactlyElementsOf(
				Arrays.stream(IdempotencyMeter.values()).map(MetricsDocumentationTests::row).toList());
	}

	private static String row(IdempotencyMeter meter) {
		String tags = meter.tags().isEmpty() ? ""
				: meter.tags().stream().map((tag) -> "`" + tag + "`").collect(Collectors.joining(", ", "; ", ""));
		return "- **`%s`** (%s%s): %s".formatted(meter.meterName(), meter.type().name().toLowerCase(Locale.ROOT), tags,
				meter.description());
	}

}
