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
package dev.idempotency.observation;

import java.util.ArrayList;
import java.util.List;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import dev.idempotency.Idempotent.Mode;
import dev.idempotency.exception.KeyReusedException;
import dev.idempotency.observation.GuardedObservation.Scope;
import dev.idempotency.observation.IdempotencyObservation.Event;
import dev.idempotency.observation.IdempotencyObservation.Outcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The observation of a request in a registry.
 */
@ExtendWith(OutputCaptureExtension.class)
class RequestObservationTests {

	private final RecordedObservations recorded = new RecordedObservations();

	private final ObservationRegistry registry = this.recorded.registry;

	private RequestObservation start() {
		return RequestObservation.start(this.registry, IdempotencyObservation.REQUEST, "test", Mode.LEASED);
	}

	@Test
	void nothingIsMadeWithoutAHandler() {
		RequestObservation observation = start();
		assertThat(observation).isSameAs(RequestObservation.NONE);
		assertThat(observation.openScope()).isSameAs(Scope.NONE);
		observation.failed(new IllegalStateException());
		observation.end();
		assertThat(observation.<String>observe(IdempotencyObservation.FOREIGN, "charge", () -> "charged"))
			.isEqualTo("charged");
	}

	@Test
	void aHandlerThatIsAddedLaterIsFound() {
		this.recorded.begin();
		start().end(Outcome.COMPLETED);
		assertThat(this.recorded.all()).containsExactly("request [] COMPLETED");
	}

	@Test
	void aPredicateOfTheApplicationSwitchesRequestsOffAndLeavesThePhasesToTheOuterObservation() {
		this.recorded.begin();
		this.registry.observationConfig()
			.observationPredicate((name, context) -> !name.equals("idempotency.stage.request"));
		Observation outer = Observation.start("outer", this.registry);
		outer.scoped(() -> {
			RequestObservation request = start();
			try (Scope scope = request.openScope()) {
				assertThat(this.registry.getCurrentObservation()).isSameAs(outer);
				request.observe(IdempotencyObservation.ATOMIC, "reserve", () -> "reserved");
			}
			request.end(Outcome.COMPLETED);
		});
		outer.stop();
		assertThat(this.recorded.all()).containsExactly("reserve [] COMPLETED");
	}

	@Test
	void theFirstEndCounts() {
		this.recorded.begin();
		RequestObservation request = start();
		request.end(Outcome.COMPLETED);
		request.failed(new IllegalStateException());
		request.end(new IllegalStateException());
		assertThat(this.recorded.all()).containsExactly("request [] COMPLETED");
	}

	@Test
	void aFailureIsAnErrorUnlessItIsARegularOutcome() {
		this.recorded.begin();
		start().end(new IllegalStateException());
		start().end(new KeyReusedException());
		assertThat(this.recorded.all()).containsExactly("request [] FAILED !", "request [] KEY_REUSED");
	}

	@Test
	void aPhaseThatFailsIsAnErrorAndEndsItsScope() {
		this.recorded.begin();
		RequestObservation request = start();
		assertThatIllegalStateException()
			.isThrownBy(() -> request.observe(IdempotencyObservation.FOREIGN, "charge", () -> {
				assertThat(this.registry.getCurrentObservation()).isNotNull();
				throw new IllegalStateException("work");
			}))
			.withMessage("work");
		assertThat(this.registry.getCurrentObservation()).isNull();
		request.end();
		assertThat(this.recorded.all()).containsExactly("charge [] FAILED !", "request [] RELEASED");
	}

	@ParameterizedTest
	@EnumSource(FailingHandler.Moment.class)
	void aHandlerThatFailsChangesNothingAndIsLogged(FailingHandler.Moment moment, CapturedOutput output) {
		this.registry.observationConfig().observationHandler(new FailingHandler(moment));
		List<String> done = new ArrayList<>();
		RequestObservation request = start();
		request.event(Event.CLAIMED);
		try (Scope scope = request.openScope()) {
			done.add(request.observe(IdempotencyObservation.ATOMIC, "reserve", () -> "reserved"));
		}
		request.failed(new IllegalStateException("work"));
		request.end();
		assertThat(done).containsExactly("reserved");
		assertThat(this.registry.getCurrentObservationScope()).isNull();
		assertThat(output).contains("[IDEM-1702]").doesNotContain("handler's own");
	}

	/**
	 * Fails at one moment.
	 */
	private static final class FailingHandler implements ObservationHandler<Observation.Context> {

		enum Moment {

			START, OPEN, EVENT, CLOSE, ERROR, STOP

		}

		private final Moment moment;

		FailingHandler(Moment moment) {
			this.moment = moment;
		}

		private void at(Moment current) {
			if (current == this.moment) {
				throw new UnsupportedOperationException("the handler's own");
			}
		}

		@Override
		public void onStart(Observation.Context context) {
			at(Moment.START);
		}

		@Override
		public void onScopeOpened(Observation.Context context) {
			at(Moment.OPEN);
		}

		@Override
		public void onEvent(Observation.Event event, Observation.Context context) {
			at(Moment.EVENT);
		}

		@Override
		public void onScopeClosed(Observation.Context context) {
			at(Moment.CLOSE);
		}

		@Override
		public void onError(Observation.Context context) {
			at(Moment.ERROR);
		}

		@Override
		public void onStop(Observation.Context context) {
			at(Moment.STOP);
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return context instanceof IdempotencyObservationContext;
		}

	}

}
