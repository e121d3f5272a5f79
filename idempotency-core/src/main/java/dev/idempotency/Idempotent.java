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
package dev.idempotency;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.aot.hint.annotation.Reflective;

/**
 * Makes an operation safe to retry: deliveries that carry the same idempotency key have
 * the local effects of one delivery, and get the same answer.
 * <p>
 * On a controller method (or on a controller class, for all its methods that are not
 * {@code GET}, {@code HEAD}, {@code OPTIONS} or {@code TRACE}) the key comes from the
 * {@code Idempotency-Key} request header of
 * <a href="https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/">
 * draft-ietf-httpapi-idempotency-key-header-07</a>, and the stored answer is the HTTP
 * response. On a method of any other bean {@link #key()} says where the key is, and the
 * stored answer is the return value as JSON. It may be used as a meta-annotation.
 * <p>
 * On a listener of Kafka or RabbitMQ the key comes with the message, see
 * {@code dev.idempotency.messaging.MessageKeyResolver}; {@link #key()} is asked instead
 * where it is set. The scope is by default the listener in its consumer group or queue:
 * two of them have an effect each. A message is known for
 * {@code idempotency.messaging.ttl}.
 * <p>
 * It works through a proxy, as {@code @Transactional} does: a call from within the same
 * object is not intercepted.
 * <p>
 * Every attribute that is left alone takes the value of the property of the same name
 * under {@code idempotency}. String attributes resolve <code>${placeholders}</code>.
 * Values that make no sense stop the application at start-up.
 *
 * @see IdempotencyOperations
 */
@Documented
@Inherited
@Reflective(IdempotentReflectiveProcessor.class)
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE })
public @interface Idempotent {

	/**
	 * A SpEL expression over the arguments that gives the key, such as
	 * {@code #command.id()}. Needed on beans that are neither controllers nor message
	 * listeners; on those it replaces the header. On a listener of batches it is asked
	 * for each message, and sees {@code #payload} and {@code #message} instead of
	 * arguments. The argument names are those of the source, which takes
	 * {@code -parameters} at compilation, or {@code #p0}, {@code #p1}.
	 * @return the expression, empty for the request header
	 */
	String key() default "";

	/**
	 * The space within which a key stands for one request.
	 * @return the scope, {@code idempotency.scope} by default
	 */
	Scope scope() default Scope.DEFAULT;

	/**
	 * The resource type that the endpoints of {@link Scope#RESOURCE} share, such as
	 * {@code payments}.
	 * @return the name, needed with {@link Scope#RESOURCE} and refused without
	 */
	String resource() default "";

	/**
	 * The time for which an answer is kept, counted from its storage: {@code 72h},
	 * {@code 30m}, {@code PT24H}.
	 * @return a duration, {@code idempotency.ttl} by default
	 */
	String ttl() default "";

	/**
	 * Defines whether a request without a key is refused with 400.
	 * @return whether the key is required, {@code idempotency.required} by default
	 */
	Required required() default Required.DEFAULT;

	/**
	 * The mode of execution.
	 * @return the mode, {@code idempotency.mode} by default
	 */
	Mode mode() default Mode.DEFAULT;

	/**
	 * The answer to a duplicate of a finished request.
	 * @return the replayed part, the full response by default
	 */
	Replay replay() default Replay.FULL;

	/**
	 * The space, within (application namespace, tenant, account), in which a key stands
	 * for one request.
	 */
	enum Scope {

		/**
		 * The value of {@code idempotency.scope}.
		 */
		DEFAULT,

		/**
		 * One key for one request on all endpoints, as in Stripe's API: on another
		 * endpoint it is a 422.
		 */
		ACCOUNT,

		/**
		 * Keys of two annotated methods are unrelated.
		 */
		ENDPOINT,

		/**
		 * Keys are unique within a named resource type, over all endpoints that share it.
		 */
		RESOURCE

	}

	/**
	 * The mode of execution of a protected operation.
	 */
	enum Mode {

		/**
		 * The value of {@code idempotency.mode}.
		 */
		DEFAULT,

		/**
		 * The business rows and the answer commit together, in one transaction. For
		 * operations whose effects are rows in the database that holds the records.
		 */
		TRANSACTIONAL,

		/**
		 * A committed claim with a lease comes before the execution. For operations that
		 * call other systems, run long or answer asynchronously.
		 * <p>
		 * No transaction is open around the handler. One that is {@code @Transactional}
		 * itself commits its rows and its answer together. Of any other each transaction
		 * commits separately, under the condition that the lease is still held: a handler
		 * that fails after one of them is executed again by the next delivery, and one
		 * that dies after one of them is not.
		 * <p>
		 * The condition is checked in transactions of Spring's alone. What is written
		 * outside of them, such as by a {@code JdbcTemplate} in auto-commit mode, is like
		 * a call of another system: it is neither undone nor kept from being made again,
		 * and an owner that was paused past its lease still makes it. The first such
		 * write of an operation is reported in the log.
		 * <p>
		 * The condition holds for transactions on the threads that work for the request:
		 * its own, those of {@code Callable} and {@code WebAsyncTask}, of {@code @Async}
		 * and of tasks on an executor that Spring Boot has created. A thread that the
		 * application makes itself, or borrows from {@code ForkJoinPool.commonPool()} as
		 * {@code CompletableFuture.supplyAsync} without an executor does, is not known to
		 * belong to the request: what it commits after the lease was lost stays. Pass the
		 * {@code applicationTaskExecutor}, or set the {@code TaskDecorator} beans on an
		 * executor of your own.
		 */
		LEASED

	}

	/**
	 * The requirement of a key.
	 */
	enum Required {

		/**
		 * The value of {@code idempotency.required}.
		 */
		DEFAULT,

		/**
		 * A request without a key is refused with 400.
		 */
		TRUE,

		/**
		 * A request without a key runs unprotected.
		 */
		FALSE

	}

	/**
	 * The answer to a duplicate of a finished request.
	 */
	enum Replay {

		/**
		 * The stored status, headers and body.
		 */
		FULL,

		/**
		 * A 409 {@code not-replayable}: only the fact that the request was executed is
		 * kept. For responses that cannot be stored, such as server-sent events and
		 * downloads of any length.
		 */
		NONE

	}

}
