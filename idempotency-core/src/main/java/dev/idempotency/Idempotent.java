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
 * the local effects of one delivery, and get the same response.
 * <p>
 * On a controller method (or on a controller class, for all its methods that are not
 * {@code GET}, {@code HEAD}, {@code OPTIONS} or {@code TRACE}) the key is taken from the
 * {@code Idempotency-Key} request header of
 * <a href="https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/">
 * draft-ietf-httpapi-idempotency-key-header-07</a>, and the stored response is the HTTP
 * response. On a method of any other bean the key is the value of {@link #key()}, and the
 * stored response is the return value as JSON. It may be used as a meta-annotation.
 * <p>
 * On a listener of Kafka or RabbitMQ the key is taken from the message, see
 * {@code dev.idempotency.messaging.MessageKeyResolver}, unless {@link #key()} is set. By
 * default the scope is the listener at the place of delivery, which is the consumer group
 * and the topic, or the queue: a message has one effect at each. A message is remembered
 * for {@code idempotency.messaging.ttl}.
 * <p>
 * It works through a proxy, as {@code @Transactional} does: a call from within the same
 * object is not intercepted.
 * <p>
 * The default of every attribute is the property of the same name under
 * {@code idempotency}. String attributes resolve <code>${placeholders}</code>. With
 * invalid values the application does not start.
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
	 * A name that identifies the operation in tables, logs and meters. Without one it is
	 * identified by class and method, on an endpoint by the mapping, and on a message
	 * listener by the id of its container, if it has one. A record is found only under
	 * the name under which it was stored: declare an id before you rename the method or
	 * its class. Two methods with one name, such as overloads, need an id each.
	 * @return the id, empty for the default name
	 */
	String id() default "";

	/**
	 * A SpEL expression over the arguments whose value is the key, such as
	 * {@code #command.id()}. Required on beans that are neither controllers nor message
	 * listeners; on those it replaces the header. On a listener of batches it is
	 * evaluated for each message, with {@code #payload} and {@code #message} instead of
	 * arguments. Arguments have the names of the source, if it is compiled with
	 * {@code -parameters}, or {@code #p0}, {@code #p1}.
	 * <p>
	 * The type of the value has to declare a text: a text, number, UUID, enum, or a date,
	 * time or duration of {@code java.time}; or a record with one component or an
	 * {@link java.util.Optional} with such a value in it. Any other value is refused.
	 * @return the expression, empty for the request header
	 */
	String key() default "";

	/**
	 * The space within which a key is unique.
	 * @return the scope, {@code idempotency.scope} by default
	 */
	Scope scope() default Scope.DEFAULT;

	/**
	 * The resource type that the endpoints of {@link Scope#RESOURCE} share, such as
	 * {@code payments}.
	 * @return the name, required with {@link Scope#RESOURCE} and refused without
	 */
	String resource() default "";

	/**
	 * The time for which a response is kept, counted from its storage: {@code 72h},
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
	 * The response to a duplicate of a finished request.
	 * @return the replayed part, the full response by default
	 */
	Replay replay() default Replay.FULL;

	/**
	 * The space, within (application namespace, tenant, account), in which a key is
	 * unique.
	 */
	enum Scope {

		/**
		 * The value of {@code idempotency.scope}.
		 */
		DEFAULT,

		/**
		 * One key for one request on all endpoints, as in Stripe's API: used on another
		 * endpoint it gets a 422.
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
		 * The business rows and the response commit together, in one transaction. For
		 * operations whose effects are rows in the database that holds the records.
		 */
		TRANSACTIONAL,

		/**
		 * A claim with a lease is committed before the execution. For operations that
		 * call other systems, run for long or answer asynchronously.
		 * <p>
		 * No transaction is open around the handler. A handler that is
		 * {@code @Transactional} itself commits its rows and its response together. In
		 * any other handler each transaction commits separately, on the condition that
		 * the lease is still held. If the handler fails after such a commit, the next
		 * delivery executes it again; if its process dies after it, it is not executed
		 * again.
		 * <p>
		 * The condition is checked only in Spring's transactions. A write outside them,
		 * such as by a {@code JdbcTemplate} in auto-commit mode, is like a call to
		 * another system: it is not undone, a retry repeats it, and an owner that was
		 * paused past its lease can still make it. The test starter refuses it.
		 * <p>
		 * The condition holds for transactions on the threads that work for the request:
		 * its own, the threads of {@code Callable} and {@code WebAsyncTask}, of
		 * {@code @Async} and of tasks on an executor that Spring Boot has created. A
		 * thread that the application starts itself, or borrows from
		 * {@code ForkJoinPool.commonPool()} as {@code CompletableFuture.supplyAsync}
		 * without an executor does, does not belong to the request: its commits are not
		 * undone when the lease is lost. Pass the {@code applicationTaskExecutor}, or set
		 * the {@code TaskDecorator} beans on your own executor.
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
	 * The response to a duplicate of a finished request.
	 */
	enum Replay {

		/**
		 * The stored status, headers and body.
		 */
		FULL,

		/**
		 * A 409 {@code not-replayable}: only the fact that the request was executed is
		 * stored. For responses that cannot be stored, such as server-sent events and
		 * downloads of any length.
		 */
		NONE

	}

}
