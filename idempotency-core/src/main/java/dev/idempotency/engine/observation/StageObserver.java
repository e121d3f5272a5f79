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
package dev.idempotency.engine.observation;

import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import dev.idempotency.Idempotent.Mode;

/**
 * Observes requests stage by stage, for traces. Must not throw.
 */
public interface StageObserver {

	/**
	 * Observes nothing.
	 */
	StageObserver NONE = new StageObserver() {
	};

	/**
	 * Returns whether observation is off. The engine then begins no stages.
	 * @return whether stages are not observed
	 */
	default boolean isNoop() {
		return true;
	}

	/**
	 * Begins a stage as a child of the current thread's observation.
	 * @param stage the stage
	 * @param operation the operation's name
	 * @param mode the mode of execution
	 * @param step the name of the phase, {@code null} for other stages
	 * @return the stage
	 */
	default ActiveStage begin(Stage stage, String operation, Mode mode, @Nullable String step) {
		return ActiveStage.UNOBSERVED;
	}

	/**
	 * Observes a stage that is no phase, and begins and ends on the current thread.
	 * @param stage the stage
	 * @param operation the operation's name
	 * @param mode the mode of execution
	 * @param success the outcome if the work returns
	 * @param work the work
	 * @param <X> the type of the failure
	 * @throws X the exception of the work
	 */
	default <X extends Exception> void observe(Stage stage, String operation, Mode mode, Stage.Outcome success,
			Action<X> work) throws X {
		begin(stage, operation, mode, null).<Stage.Outcome, X>during(() -> {
			work.run();
			return success;
		}, Function.identity());
	}

	/**
	 * The work of a stage, without a result.
	 *
	 * @param <X> the type of the failure
	 */
	@FunctionalInterface
	interface Action<X extends Exception> {

		void run() throws X;

	}

	/**
	 * The work of a stage.
	 *
	 * @param <T> the type of the result
	 * @param <X> the type of the failure
	 */
	@FunctionalInterface
	interface Work<T extends @Nullable Object, X extends Exception> {

		T run() throws X;

	}

	/**
	 * A stage that has begun. Any thread may end it.
	 */
	interface ActiveStage {

		/**
		 * A stage without observers.
		 */
		ActiveStage UNOBSERVED = new ActiveStage() {
		};

		/**
		 * Makes the work of the current thread part of the stage.
		 * @return the scope, to be closed by the same thread and before all scopes opened
		 * earlier
		 */
		default Scope openScope() {
			return Scope.NONE;
		}

		/**
		 * Begins a later stage of the same request: a child of the current thread's
		 * observation, or of this stage's parent if there is none, as for an error page.
		 * @param stage the stage
		 * @return the stage
		 */
		default ActiveStage next(Stage stage) {
			return this;
		}

		/**
		 * Runs a whole stage on the current thread.
		 * @param work the work
		 * @param outcome determines the outcome from the result
		 * @param <T> the type of the result
		 * @param <X> the type of the failure
		 * @return the result of the work
		 * @throws X the exception of the work
		 */
		default <T extends @Nullable Object, X extends Exception> T during(Work<T, X> work,
				Function<T, Stage.Outcome> outcome) throws X {
			Stage.Outcome ended = Stage.Outcome.FAILED;
			Throwable failure = null;
			try (Scope scope = openScope()) {
				T result = work.run();
				ended = outcome.apply(result);
				return result;
			}
			catch (Throwable ex) {
				ended = Stage.Outcome.of(ex);
				failure = ended.isRegular() ? null : ex;
				throw ex;
			}
			finally {
				end(ended, failure);
			}
		}

		/**
		 * Ends the stage. Does nothing the second time.
		 * @param outcome its outcome
		 * @param failure the failure, {@code null} on success
		 */
		default void end(Stage.Outcome outcome, @Nullable Throwable failure) {
		}

		/**
		 * The time during which a thread works for a stage.
		 */
		@FunctionalInterface
		interface Scope extends AutoCloseable {

			/**
			 * No stage.
			 */
			Scope NONE = () -> {
			};

			@Override
			void close();

		}

	}

}
