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

import java.util.Arrays;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

import dev.idempotency.engine.observation.Stage;

/**
 * The observations of the library, one for each {@link Stage}. Their names have a
 * separate prefix, so that they are not meters of {@link IdempotencyMeter} and can be
 * switched off together. They contain no data of requests: {@code step} is a constant of
 * the program.
 */
public enum IdempotencyObservation implements ObservationDocumentation {

	/**
	 * The decision whether a request may run.
	 */
	CLAIM(Stage.CLAIM, "The decision whether the request may run"),

	/**
	 * The work.
	 */
	RUN(Stage.RUN, "The work, until its answer is rendered or it has failed; not with phases"),

	/**
	 * A phase in a transaction.
	 */
	ATOMIC(Stage.ATOMIC, "A phase in a separate transaction, retries included; the last one is called finish"),

	/**
	 * A phase outside transactions.
	 */
	FOREIGN(Stage.FOREIGN, "A phase outside all transactions, and the storage of its result"),

	/**
	 * The storage of the answer.
	 */
	FINISH(Stage.FINISH, "The storage of the answer, and the commit"),

	/**
	 * The replay of a stored answer.
	 */
	REPLAY(Stage.REPLAY, "The replay of a stored answer to the response"),

	/**
	 * An attempt to run a job.
	 */
	JOB(Stage.JOB, "An attempt to run a staged job; its claim, run and finish are inside"),

	/**
	 * An attempt of the completer.
	 */
	RECOVER(Stage.RECOVER, "An attempt of the completer; the stages of the request are inside");

	/**
	 * Common prefix of all names.
	 */
	static final String PREFIX = "idempotency.stage.";

	private final Stage stage;

	private final String description;

	private final StageObservationConvention convention;

	IdempotencyObservation(Stage stage, String description) {
		this.stage = stage;
		this.description = description;
		this.convention = new StageObservationConvention(stage);
	}

	/**
	 * The observation of a stage.
	 * @param stage the stage
	 * @return its observation
	 */
	public static IdempotencyObservation of(Stage stage) {
		return switch (stage) {
			case CLAIM -> CLAIM;
			case RUN -> RUN;
			case ATOMIC -> ATOMIC;
			case FOREIGN -> FOREIGN;
			case FINISH -> FINISH;
			case REPLAY -> REPLAY;
			case JOB -> JOB;
			case RECOVER -> RECOVER;
		};
	}

	/**
	 * The stage that is observed.
	 * @return the stage
	 */
	public Stage stage() {
		return this.stage;
	}

	/**
	 * Returns the description of the observation.
	 * @return a phrase
	 */
	public String description() {
		return this.description;
	}

	StageObservationConvention convention() {
		return this.convention;
	}

	@Override
	public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
		return StageObservationConvention.class;
	}

	@Override
	public KeyName[] getLowCardinalityKeyNames() {
		return Arrays.stream(Key.values())
			.filter((key) -> key != Key.STEP || this == ATOMIC || this == FOREIGN)
			.toArray(KeyName[]::new);
	}

	/**
	 * The keys, all of low cardinality.
	 */
	public enum Key implements KeyName {

		/**
		 * The operation, as in the tags of meters.
		 */
		OPERATION("operation"),

		/**
		 * The mode of execution.
		 */
		MODE("mode"),

		/**
		 * The name of the phase.
		 */
		STEP("step"),

		/**
		 * The outcome of the stage.
		 */
		OUTCOME("outcome");

		private final String key;

		Key(String key) {
			this.key = key;
		}

		@Override
		public String asString() {
			return this.key;
		}

	}

}
