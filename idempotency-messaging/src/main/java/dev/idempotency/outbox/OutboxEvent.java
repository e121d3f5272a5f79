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
package dev.idempotency.outbox;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Events of the annotated type that are passed to Spring's
 * {@link org.springframework.context.ApplicationEventPublisher} are published by the
 * {@link Outbox} as well: in the transaction of the publisher, and refused without one.
 *
 * <pre class="code">
 * &#64;OutboxEvent(destination = "rides", key = "rideId()")
 * record RideBooked(UUID rideId, int fareCents) {
 * }
 * </pre>
 */
@Documented
@Inherited
@Target({ ElementType.TYPE, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
public @interface OutboxEvent {

	/**
	 * The destination of the event, as {@link OutboxMessage#destination()}; takes
	 * {@code ${placeholders}}.
	 * @return the destination
	 */
	String destination();

	/**
	 * A SpEL expression over the event for the ordering key. None by default: no order.
	 * @return the expression
	 */
	String key() default "";

	/**
	 * The type of the event; takes {@code ${placeholders}}. The simple name of the class
	 * by default.
	 * @return the type
	 */
	String type() default "";

	/**
	 * A SpEL expression over the event for its id. A new UUID of version 7 by default.
	 * @return the expression
	 */
	String id() default "";

}
