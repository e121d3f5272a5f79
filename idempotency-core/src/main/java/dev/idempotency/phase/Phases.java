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

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.annotation.Isolation;

import dev.idempotency.exception.LeaseLostException;
import dev.idempotency.exception.RequestInterruptedException;
import dev.idempotency.exception.UnknownStepException;
import dev.idempotency.job.JobId;
import dev.idempotency.job.JobType;
import dev.idempotency.job.StagedJobs;

/**
 * Completes a request in phases that are each done once, across crashes and retries
 * (<a href="https://brandur.org/idempotency-keys">Brandur Leach, Implementing Stripe-like
 * Idempotency Keys in Postgres</a>). A parameter of a protected handler, which then runs
 * under a lease; within such a handler also a bean that services may have injected.
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
 * Steps are known by name, which must not change while requests are under way. What is
 * done is not done again: a later attempt gets the stored result. Code between the phases
 * runs on every attempt, so it should do nothing but decide, and decide by the request
 * and by results of steps alone.
 */
public interface Phases {

	/**
	 * The same phases, with transactions of another isolation.
	 * @param isolation the isolation; {@link Isolation#DEFAULT} for the database's own
	 * @return phases with that isolation
	 */
	Phases isolatedAt(Isolation isolation);

	/**
	 * Executes a step in one transaction, which stores its result as well: both or
	 * neither. SERIALIZABLE unless said otherwise; a phase that could not be serialised
	 * with others, or that was the victim of a deadlock, is retried automatically.
	 * @param step the step's name, unique within the request
	 * @param type the type of the result, which Jackson reads and writes
	 * @param work does the step; may run several times, of which one is committed
	 * @param <T> the type of the result
	 * @return the result, of this attempt or of the one that did the step
	 * @throws IllegalTransactionStateException if a transaction is open already
	 * @throws LeaseLostException if another owner has taken the request over
	 * @throws RequestInterruptedException if others were in the way too often
	 * @throws UnknownStepException if the request was begun by another version
	 */
	<T extends @Nullable Object> T atomic(String step, Class<T> type, Supplier<? extends T> work);

	/**
	 * Executes a step without a result in one transaction.
	 * @param step the step's name, unique within the request
	 * @param work does the step; may run several times, of which one is committed
	 * @see #atomic(String, Class, Supplier)
	 */
	void atomic(String step, Runnable work);

	/**
	 * Calls another system while no transaction is open, and stores the result. The call
	 * is made at least once, each time with the same key: with a system that honours such
	 * keys it has one effect.
	 * @param step the step's name, unique within the request
	 * @param type the type of the result, which Jackson reads and writes
	 * @param call the call. A failure that will pass ends the request with 503,
	 * resumable; any other is thrown as it is
	 * @param <T> the type of the result
	 * @return the result, of this attempt or of the one that did the step
	 * @throws RequestInterruptedException if the call failed in a way that will pass
	 * @see TransientFailurePolicy
	 */
	<T extends @Nullable Object> T foreign(String step, Class<T> type, ForeignCall<? extends T> call);

	/**
	 * Calls another system without idempotency: where an earlier attempt may have got
	 * through, the system is asked first. An attempt that is still on its way cannot be
	 * seen like this.
	 * @param step the step's name, unique within the request
	 * @param type the type of the result, which Jackson reads and writes
	 * @param call the call
	 * @param probe asks the other system for the result of an earlier attempt
	 * @param <T> the type of the result
	 * @return the result, of this attempt or of an earlier one
	 * @see #foreign(String, Class, ForeignCall)
	 */
	<T> T foreign(String step, Class<T> type, ForeignCall<? extends T> call, ForeignProbe<? extends T> probe);

	/**
	 * Executes the last step, in one transaction that also stores the answer. Return what
	 * this returns: the transaction is open until the answer is rendered.
	 * @param work does the step; may run several times, of which one is committed
	 * @param <T> the type of the result
	 * @return the result
	 * @throws IllegalTransactionStateException if a transaction is open already
	 * @see #atomic(String, Class, Supplier)
	 */
	<T extends @Nullable Object> T finish(Supplier<? extends T> work);

	/**
	 * Stages a job in the transaction of the current phase: it runs if that commits.
	 * @param type the job's type
	 * @param payload the payload of the job
	 * @param <T> the type of the payload
	 * @return the job's id
	 * @throws IllegalTransactionStateException outside of a phase
	 * @see StagedJobs
	 */
	<T> JobId stage(JobType<T> type, T payload);

}
