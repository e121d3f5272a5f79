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
package dev.idempotency.conformance.phase;

import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.PhaseHook;
import dev.idempotency.conformance.app.Provider;
import dev.idempotency.conformance.app.Rides;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.conformance.app.Traces;
import dev.idempotency.conformance.app.Traces.Span;

import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static dev.idempotency.conformance.app.Traces.span;
import static dev.idempotency.conformance.app.Traces.within;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Group O, traces: what the completer's work looks like.
 */
@Tag("O1")
class RecoveryTraceTests {

	@Test
	void aRecoveryIsATraceOfItsOwnWithWhatIsDoneInIt() {
		try (Provider provider = new Provider();
				RunningApplication application = RunningApplication.start(List.of(Rides.class),
						"provider=" + provider.address(), "idempotency.completer.interval=20ms",
						"idempotency.completer.after=0", "management.observations.enable.spring.security=false")) {
			PhaseHook.once("after-ride", "left", () -> {
				throw new IllegalStateException("a bad deploy");
			});
			List<Span> spans = Traces.of(application)
				.record(2, () -> application.post(ALICE, "/rides", "left", Labelled.json("left")));
			Span recovery = span(spans, "idempotency recover");
			assertThat(recovery.parentId()).isNullOrEmpty();
			assertThat(recovery.tags()).containsEntry("operation", "POST /rides")
				.containsEntry("mode", "leased")
				.containsEntry("outcome", "completed");
			assertThat(recovery.events()).containsExactly("claimed", "storing");
			assertThat(within(spans, recovery)).extracting(Span::toString)
				.containsExactly("idempotency foreign charge_created: completed",
						"idempotency atomic finish: completed");
			assertThat(spans).allMatch(Span::ended);
			assertThat(application.effects("left done")).isEqualTo(1);
		}
	}

}
