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

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

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
import dev.idempotency.engine.observation.Stage;
import dev.idempotency.engine.observation.StageObserver.ActiveStage;
import dev.idempotency.engine.observation.StageObserver.Work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The mapping of stages to observations.
 */
@ExtendWith(OutputCaptureExtension.class)
class ObservationStagesTests {

	private final ObservationRegistry registry = ObservationRegistry.create();

	private final ObservationStages stages = new ObservationStages(this.registry);

	private <X extends Exception> String observe(Work<String, X> work) throws X {
		return this.stages.begin(Stage.CLAIM, "test", Mode.LEASED, null)
			.during(work, (result) -> Stage.Outcome.COMPLETED);
	}

	@Test
	void nothingIsMadeWithoutAHandler() {
		assertThat(this.stages.isNoop()).isTrue();
		assertThat(this.stages.begin(Stage.RUN, "test", Mode.LEASED, null)).isSameAs(ActiveStage.UNOBSERVED);
	}

	@Test
	void aHandlerThatIsAddedLaterIsFound() {
		this.registry.observationConfig().observationHandler((ObservationHandler<Observation.Context>) (any) -> true);
		assertThat(this.stages.isNoop()).isFalse();
		assertThat(this.stages.begin(Stage.RUN, "test", Mode.LEASED, null)).isNotSameAs(ActiveStage.UNOBSERVED);
	}

	@Test
	void aPredicateOfTheApplicationSwitchesAStageOff() {
		List<String> started = new ArrayList<>();
		this.registry.observationConfig().observationHandler(new FailingHandler(null) {

			@Override
			public void onStart(Observation.Context context) {
				started.add(context.getName());
			}

		});
		this.registry.observationConfig()
			.observationPredicate((name, context) -> !name.equals("idempotency.stage.claim"));
		ActiveStage claim = this.stages.begin(Stage.CLAIM, "test", Mode.LEASED, null);
		claim.end(Stage.Outcome.ACQUIRED, null);
		claim.next(Stage.RUN).end(Stage.Outcome.COMPLETED, null);
		assertThat(started).containsExactly("idempotency.stage.run");
	}

	@Test
	void aLaterStageHasTheParentOfTheFirstOne() {
		List<Object> parents = new ArrayList<>();
		this.registry.observationConfig().observationHandler(new FailingHandler(null) {

			@Override
			public void onStart(Observation.Context context) {
				parents.add(context.getParentObservation());
			}

		});
		Observation request = Observation.start("request", this.registry);
		ActiveStage claim = request.scoped(() -> this.stages.begin(Stage.CLAIM, "test", Mode.LEASED, null));
		claim.next(Stage.FINISH);
		Observation other = Observation.start("other", this.registry);
		other.scoped(() -> claim.next(Stage.FINISH));
		assertThat(parents).containsExactly(request, request, other);
	}

	@Test
	void aStageThatIsEndedTwiceStopsOnce() {
		AtomicInteger stops = new AtomicInteger();
		this.registry.observationConfig().observationHandler(new FailingHandler(null) {

			@Override
			public void onStop(Observation.Context context) {
				stops.incrementAndGet();
				assertThat(((StageObservationContext) context).outcome()).isEqualTo(Stage.Outcome.COMPLETED);
			}

		});
		ActiveStage stage = this.stages.begin(Stage.RUN, "test", Mode.LEASED, null);
		stage.end(Stage.Outcome.COMPLETED, null);
		stage.end(Stage.Outcome.FAILED, new IllegalStateException());
		assertThat(stops).hasValue(1);
	}

	@Test
	void whatTheWorkThrowsIsTheErrorOfTheObservationUnlessItIsARegularEnd() {
		AtomicInteger errors = new AtomicInteger();
		this.registry.observationConfig().observationHandler(new FailingHandler(null) {

			@Override
			public void onError(Observation.Context context) {
				errors.incrementAndGet();
			}

		});
		assertThatIllegalStateException().isThrownBy(() -> observe(() -> {
			throw new IllegalStateException("work");
		})).withMessage("work");
		assertThat(errors).hasValue(1);
		assertThat(this.registry.getCurrentObservation()).isNull();
	}

	@ParameterizedTest
	@EnumSource(FailingHandler.Event.class)
	void aHandlerThatFailsChangesNothingAndIsToldOf(FailingHandler.Event event, CapturedOutput output) {
		this.registry.observationConfig().observationHandler(new FailingHandler(event));
		assertThat(observe(() -> "done")).isEqualTo("done");
		assertThatIllegalStateException().isThrownBy(() -> observe(() -> {
			throw new IllegalStateException("work");
		})).withMessage("work");
		assertThat(this.registry.getCurrentObservationScope()).isNull();
		assertThat(output).contains("[IDEM-1702]").doesNotContain("handler's own");
	}

	/**
	 * Fails at one event.
	 */
	private static class FailingHandler implements ObservationHandler<Observation.Context> {

		enum Event {

			START, OPEN, CLOSE, ERROR, STOP

		}

		private final Event event;

		FailingHandler(Event event) {
			this.event = event;
		}

		private void at(Event current) {
			if (current == this.event) {
				throw new UnsupportedOperationException("the handler's own");
			}
		}

		@Override
		public void onStart(Observation.Context context) {
			at(Event.START);
		}

		@Override
		public void onScopeOpened(Observation.Context context) {
			at(Event.OPEN);
		}

		@Override
		public void onScopeClosed(Observation.Context context) {
			at(Event.CLOSE);
		}

		@Override
		public void onError(Observation.Context context) {
			at(Event.ERROR);
		}

		@Override
		public void onStop(Observation.Context context) {
			at(Event.STOP);
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return context instanceof StageObservationContext;
		}

	}

}
