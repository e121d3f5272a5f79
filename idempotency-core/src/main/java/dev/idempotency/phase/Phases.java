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
package dev.idempotency.phase;

import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.annotation.Isolation;

import dev.idempotency.exception.LeaseLostException;
import dev.idempotency.exception.RequestInterruptedException;
import dev.idempotency.exception.UnknownStepException;
import dev.idempotency.job.JobType;
import dev.idempotency.job.StagedJobs;

/**
 * Completes a request in phases that are each done once, across crashes and retries
 * (<a href="https://brandur.org/idempotency-keys">Brandur Leach, Implementing Stripe-like
 * Idempotency Keys in Postgres</a>). A parameter of a protected handler, which then runs
 * under a lease. Services that such a handler calls can inject it as a bean.
 *
 * <pre class="code">
 * &#64;Idempotent
 * &#64;PostMapping("/rides")
 * RideView create(&#64;RequestBody &#64;Valid RideRequest request, Phases phases) {
 *     RideId id = phases.atomic("ride_created", RideId.class, () -&gt; rides.insert(request));
 *     String charge = phases.foreign("charge_created", String.class,
 *             (key) -&gt; payments.charge(request.fare(), key));
 *     return phases.finish(() -&gt; rides.complete(id, charge));
 * }
 * </pre>
 *
 * Steps are identified by name, which must not change while requests are in progress. A
 * completed step is not run again: a later attempt, or a second call with that name, gets
 * its stored result. Steps in a loop therefore need different names. Code between the
 * phases runs on every attempt, so it should only make decisions, and only from the
 * request and from results of steps.
 */
public interface Phases {

	/**
	 * Returns the same phases with another isolation of their transactions.
	 * @param isolation the isolation; {@link Isolation#DEFAULT} for the database's own
	 * @return phases with that isolation
	 */
	Phases isolatedAt(Isolation isolation);

	/**
	 * Executes a step in one transaction, which also stores its result. The transaction
	 * is SERIALIZABLE unless configured otherwise; after a serialization failure or a
	 * deadlock the phase is retried automatically.
	 * @param step the step's name, unique within the request
	 * @param type the type of the result, which Jackson reads and writes
	 * @param work the step; may run several times, of which one is committed
	 * @param <T> the type of the result
	 * @return the result, of this attempt or of the one that completed the step
	 * @throws IllegalTransactionStateException if a transaction is open already
	 * @throws LeaseLostException if another owner has taken the request over
	 * @throws RequestInterruptedException if the phase failed too often because of
	 * conflicts
	 * @throws UnknownStepException if the request was started by another version
	 */
	<T extends @Nullable Object> T atomic(String step, Class<T> type, Supplier<? extends T> work);

	/**
	 * Executes a step without a result in one transaction.
	 * @param step the step's name, unique within the request
	 * @param work the step; may run several times, of which one is committed
	 * @see #atomic(String, Class, Supplier)
	 */
	void atomic(String step, Runnable work);

	/**
	 * Calls another system while no transaction is open, and stores the result. The call
	 * is made at least once, always with the same key: on a system that honours keys it
	 * has one effect.
	 * @param step the step's name, unique within the request
	 * @param type the type of the result, which Jackson reads and writes
	 * @param call the call. A transient failure ends the request with 503, and it can be
	 * resumed; any other failure is rethrown
	 * @param <T> the type of the result
	 * @return the result, of this attempt or of the one that completed the step
	 * @throws RequestInterruptedException if the call failed transiently
	 * @see TransientFailurePolicy
	 */
	<T extends @Nullable Object> T foreign(String step, Class<T> type, ForeignCall<? extends T> call);

	/**
	 * Calls another system without idempotency keys. That the call begins is stored
	 * before it is made, and whenever it was begun before and has no result, the system
	 * is asked first. This does not detect a call that is still on its way.
	 * @param step the step's name, unique within the request
	 * @param type the type of the result, which Jackson reads and writes
	 * @param call the call
	 * @param probe the query for the result of an earlier attempt
	 * @param <T> the type of the result
	 * @return the result, of this attempt or of an earlier one
	 * @see #foreign(String, Class, ForeignCall)
	 */
	<T> T foreign(String step, Class<T> type, ForeignCall<? extends T> call, ForeignProbe<? extends T> probe);

	/**
	 * Executes the last step, in one transaction that also stores the response. Return
	 * its result from the handler: the transaction stays open until the response is
	 * rendered.
	 * @param work the step; may run several times, of which one is committed
	 * @param <T> the type of the result
	 * @return the result
	 * @throws IllegalTransactionStateException if a transaction is open already
	 * @throws RequestInterruptedException while the outcome of an external call is
	 * unknown, also if the handler has caught the exception of the call
	 * @see #atomic(String, Class, Supplier)
	 */
	<T extends @Nullable Object> T finish(Supplier<? extends T> work);

	/**
	 * Stages a job in the transaction of the current phase. The job runs if the phase
	 * commits.
	 * @param type the job's type
	 * @param payload the payload of the job
	 * @param <T> the type of the payload
	 * @return the job's id
	 * @throws IllegalTransactionStateException outside a phase
	 * @see StagedJobs
	 */
	<T> UUID stage(JobType<T> type, T payload);

	/**
	 * A call to another system.
	 *
	 * @param <T> the type of its result
	 */
	@FunctionalInterface
	interface ForeignCall<T extends @Nullable Object> {

		/**
		 * Calls the other system. No transaction is open.
		 * @param key a key for the other system: the same on every attempt of the same
		 * step of the same request, even if the record of that request is gone; a UUID
		 * @return the result
		 * @throws Exception if the call failed
		 */
		T call(String key) throws Exception;

	}

	/**
	 * Asks another system without idempotency keys whether an earlier attempt succeeded.
	 *
	 * @param <T> the type of the result
	 */
	@FunctionalInterface
	interface ForeignProbe<T> {

		/**
		 * Asks the other system. No transaction is open.
		 * @param key the key of the earlier attempt
		 * @return the result of the earlier attempt, empty if there is none
		 * @throws Exception if the other system cannot be reached; the call is then not
		 * made
		 */
		Optional<T> find(String key) throws Exception;

	}

}
