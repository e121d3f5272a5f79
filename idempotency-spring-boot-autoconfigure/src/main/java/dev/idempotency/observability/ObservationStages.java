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

import java.util.concurrent.atomic.AtomicBoolean;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.ObservationView;
import org.jspecify.annotations.Nullable;

import dev.idempotency.Idempotent.Mode;
import dev.idempotency.engine.observation.Stage;
import dev.idempotency.engine.observation.StageObserver;
import dev.idempotency.engine.observation.StageObserver.ActiveStage;

/**
 * Creates an observation of each stage, as described by {@link IdempotencyObservation}.
 * The failure of an observation handler has no effect: a transaction may be open.
 */
public final class ObservationStages implements StageObserver {

	private final ObservationRegistry registry;

	public ObservationStages(ObservationRegistry registry) {
		this.registry = registry;
	}

	@Override
	public boolean isNoop() {
		return this.registry.isNoop();
	}

	@Override
	public ActiveStage begin(Stage stage, String operation, Mode mode, @Nullable String step) {
		return isNoop() ? ActiveStage.UNOBSERVED : begin(new StageObservationContext(stage, operation, mode, step),
				this.registry.getCurrentObservation());
	}

	private ActiveStage begin(StageObservationContext context, @Nullable ObservationView parent) {
		return new ObservedStage(GuardedObservation.start(this.registry, () -> observation(context, parent)), context);
	}

	private Observation observation(StageObservationContext context, @Nullable ObservationView parent) {
		IdempotencyObservation documentation = IdempotencyObservation.of(context.stage());
		Observation observation = documentation.observation(null, documentation.convention(), () -> context,
				this.registry);
		return (parent instanceof Observation outer) ? observation.parentObservation(outer) : observation;
	}

	private final class ObservedStage implements ActiveStage {

		private final GuardedObservation observation;

		private final StageObservationContext context;

		private final AtomicBoolean ended = new AtomicBoolean();

		ObservedStage(GuardedObservation observation, StageObservationContext context) {
			this.observation = observation;
			this.context = context;
		}

		@Override
		public Scope openScope() {
			return this.observation.openScope();
		}

		@Override
		public ActiveStage next(Stage stage) {
			ObservationView current = ObservationStages.this.registry.getCurrentObservation();
			return begin(new StageObservationContext(stage, this.context.operation(), this.context.mode(), null),
					(current != null) ? current : this.context.getParentObservation());
		}

		@Override
		public void end(Stage.Outcome outcome, @Nullable Throwable failure) {
			if (this.ended.compareAndSet(false, true)) {
				this.context.ended(outcome);
				this.observation.stop(failure);
			}
		}

	}

}
