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
import java.util.stream.Stream;

import io.micrometer.common.KeyValue;
import io.micrometer.observation.ObservationConvention;
import org.junit.jupiter.api.Test;

import dev.idempotency.Idempotent.Mode;
import dev.idempotency.observation.IdempotencyObservation;
import dev.idempotency.observation.IdempotencyObservation.Event;
import dev.idempotency.observation.IdempotencyObservation.Outcome;
import dev.idempotency.observation.IdempotencyObservationContext;
import dev.idempotency.outbox.OutboxMessage;
import dev.idempotency.outbox.PublicationObservationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds the lists of docs/operations/traces.md against the code.
 */
class TracesDocumentationTests {

	@Test
	void thePageListsExactlyTheObservationsOfTheEnum() throws IOException {
		assertThat(rows("- **`idempotency.stage.")).containsExactlyElementsOf(Stream
			.concat(Arrays.stream(IdempotencyObservation.values()).map(TracesDocumentationTests::row), publication())
			.toList());
	}

	@Test
	void theEventsAreThoseOfTheEnum() throws IOException {
		List<String> events = rows("- **`").stream().filter((row) -> !row.contains("`idempotency.")).toList();
		assertThat(events).containsExactlyElementsOf(Arrays.stream(Event.values())
			.map((event) -> "- **`%s`**: %s".formatted(event.getName(), event.description()))
			.toList());
	}

	@Test
	void theOutcomesAreThoseOfTheEngine() throws IOException {
		assertThat(rows("- `outcome` ").toString()).contains(
				Arrays.stream(Outcome.values()).map((outcome) -> "`" + outcome.value() + "`").toArray(String[]::new));
	}

	@Test
	void theNamesAreNoneOfTheMetersAndTheKeysThoseOfTheConvention() {
		Stream<String> meters = Arrays.stream(IdempotencyMeter.values()).map(IdempotencyMeter::meterName);
		assertThat(meters).noneMatch((name) -> name.startsWith(IdempotencyObservation.PREFIX));
		for (IdempotencyObservation observation : IdempotencyObservation.values()) {
			IdempotencyObservationContext context = new IdempotencyObservationContext(observation, "test", Mode.LEASED,
					keys(observation).contains("step") ? "ride_created" : null);
			assertThat(observation.getLowCardinalityKeyValues(context).stream().map(KeyValue::getKey))
				.containsExactlyInAnyOrderElementsOf(keys(observation));
			assertThat(observation.supportsContext(context)).isTrue();
		}
	}

	private static Stream<String> publication() {
		PublicationObservationContext context = new PublicationObservationContext(
				OutboxMessage.to("rides", "booked").withType("ride-booked"));
		ObservationConvention<PublicationObservationContext> convention = PublicationObservationContext.convention();
		return Stream.of("- **`%s`**, span `%s`, keys `%s`, and in spans `%s`: %s".formatted(convention.getName(),
				convention.getContextualName(context),
				convention.getLowCardinalityKeyValues(context).stream().findFirst().orElseThrow().getKey(),
				convention.getHighCardinalityKeyValues(context).stream().findFirst().orElseThrow().getKey(),
				"Writing an event into the [outbox](../guides/messaging.md#publishing); its receivers continue this "
						+ "trace"));
	}

	private static List<String> rows(String beginning) throws IOException {
		try (var lines = Files.lines(Path.of("..", "docs", "operations", "traces.md"))) {
			return lines.filter((line) -> line.startsWith(beginning)).toList();
		}
	}

	private static List<String> keys(IdempotencyObservation observation) {
		return Arrays.stream(observation.getLowCardinalityKeyNames()).map((key) -> key.asString()).toList();
	}

	private static String row(IdempotencyObservation observation) {
		String kind = observation.name().toLowerCase(Locale.ROOT);
		List<String> keys = keys(observation);
		return "- **`%s`**, span `idempotency %s%s`, keys %s: %s".formatted(observation.getName(), kind,
				keys.contains("step") ? " <step>" : "",
				keys.stream().map((key) -> "`" + key + "`").collect(Collectors.joining(", ")),
				observation.description());
	}

}
