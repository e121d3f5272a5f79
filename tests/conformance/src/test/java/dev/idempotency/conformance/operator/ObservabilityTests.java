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
package dev.idempotency.conformance.operator;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

import io.micrometer.common.KeyValue;
import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Statistic;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.http.HttpStatus;
import org.springframework.http.server.observation.ServerRequestObservationContext;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Group O, observability: what happened is counted, and a replay can be told from an
 * execution in a trace.
 */
class ObservabilityTests {

	private static final Spans SPANS = new Spans();

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(Payments.class);
		application.context().getBean(ObservationRegistry.class).observationConfig().observationHandler(SPANS);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@BeforeEach
	void forget() {
		SPANS.outcomes.clear();
	}

	@Test
	@Tag("O1")
	void eachOutcomeIsCountedUnderTheOperationsName() {
		double executed = count("executed");
		double replayed = count("replayed");
		double mismatched = count("mismatched");
		double released = count("released");
		application.post(ALICE, "/observed", "count", "{\"a\":1}");
		application.post(ALICE, "/observed", "count", "{\"a\":1}");
		application.post(ALICE, "/observed", "count", "{\"a\":2}");
		application.post(ALICE, "/observed", "count-fail", "{\"fail\":true}");
		assertThat(count("executed") - executed).isEqualTo(1);
		assertThat(count("replayed") - replayed).isEqualTo(1);
		assertThat(count("mismatched") - mismatched).isEqualTo(1);
		assertThat(count("released") - released).isEqualTo(1);
	}

	@Test
	@Tag("O1")
	void tagsDoNotGrowWithRequests() {
		application.post(ALICE, "/observed", "tags-1", "{\"a\":1}");
		Set<String> before = tags();
		for (int i = 2; i < 6; i++) {
			application.post(ALICE, "/observed", "tags-" + i, "{\"a\":" + i + "}");
		}
		assertThat(tags()).isEqualTo(before).noneMatch((tag) -> tag.contains("tags-") || tag.contains(ALICE));
	}

	@Test
	@Tag("O1")
	void aReplayAndARefusalAreVisibleInTheObservationOfTheRequest() {
		application.post(ALICE, "/observed", "trace", "{\"a\":1}");
		application.post(ALICE, "/observed", "trace", "{\"a\":1}");
		application.post(ALICE, "/observed", "trace", "{\"a\":2}");
		Awaitility.await()
			.atMost(Duration.ofSeconds(20))
			.untilAsserted(
					() -> assertThat(List.copyOf(SPANS.outcomes)).containsExactly("none", "replayed", "key-reused"));
	}

	private static double count(String outcome) {
		return application.context()
			.getBean(MeterRegistry.class)
			.get("idempotency.requests")
			.tags("operation", "POST /observed", "outcome", outcome)
			.meters()
			.stream()
			.flatMap((meter) -> StreamSupport.stream(meter.measure().spliterator(), false))
			.filter((measurement) -> measurement.getStatistic() == Statistic.COUNT)
			.mapToDouble(Measurement::getValue)
			.sum();
	}

	private static Set<String> tags() {
		return application.context()
			.getBean(MeterRegistry.class)
			.getMeters()
			.stream()
			.map(Meter::getId)
			.filter((id) -> id.getName().startsWith("idempotency."))
			.flatMap((id) -> id.getTags().stream())
			.map(Object::toString)
			.collect(Collectors.toSet());
	}

	/**
	 * Keeps what the observations of requests say of the library.
	 */
	static final class Spans implements ObservationHandler<ServerRequestObservationContext> {

		private final Queue<String> outcomes = new ConcurrentLinkedQueue<>();

		@Override
		public void onStop(ServerRequestObservationContext context) {
			KeyValue outcome = context.getHighCardinalityKeyValue("idempotency.outcome");
			this.outcomes.add((outcome != null) ? outcome.getValue() : "none");
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return context instanceof ServerRequestObservationContext;
		}

	}

	@RestController
	static class Payments {

		private final Effects effects;

		Payments(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping("/observed")
		String pay(@RequestBody String body) {
			this.effects.record("observed");
			if (body.contains("fail")) {
				throw new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE);
			}
			return "paid";
		}

	}

}
