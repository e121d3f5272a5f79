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

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.IllegalTransactionStateException;

/**
 * Publishes events in the transaction of the business rows, and manages those that a
 * broker refuses.
 * <ol>
 * <li>Publishing is one insert in the caller's transaction, behind a lock on destination
 * and key that lasts as long as the transaction. An event whose transaction is rolled
 * back never existed.</li>
 * <li>After the commit any node relays it: this one at once, the others when they poll
 * ({@code idempotency.outbox.polling-interval}). It is removed when the broker has
 * acknowledged it. If a node dies in between, the event is sent again with the same id:
 * delivery is at least once, and once for receivers with an inbox.</li>
 * <li>Events with one destination and one key reach the broker in the order in which
 * their transactions have committed, from any node: none is sent before the previous one
 * was acknowledged. Events without a key are not ordered.</li>
 * <li>An event that a broker refuses is kept and tried again after a growing time, from
 * {@code idempotency.outbox.polling-interval} up to 60 times of it. Only later events of
 * its key wait for it. It is listed by {@link #failing()} until the broker accepts it or
 * an operator discards it.</li>
 * <li>A destination that does not answer at all is paused for a growing time; this does
 * not count as a failure of an event.</li>
 * </ol>
 * Events on types with {@link OutboxEvent} are published by Spring's
 * {@link org.springframework.context.ApplicationEventPublisher}, too.
 */
public interface Outbox {

	/**
	 * Maximum number of events that are counted.
	 */
	int COUNTED = 10_000;

	/**
	 * Publishes an event.
	 * @param destination a topic of Kafka; for RabbitMQ a queue, or an exchange and a
	 * routing key with a slash between them
	 * @param key the ordering key of events, such as the id of an order; {@code null} for
	 * no order
	 * @param payload the content of the event, written as JSON; the simple name of its
	 * class is the type of the event
	 * @return the id of the event
	 * @throws IllegalTransactionStateException without a writable transaction of the
	 * business rows
	 * @throws IllegalArgumentException if the class is none of the application
	 * ({@link OutboxMessage#typeName()}), the payload cannot be written as JSON, or the
	 * event is too large for the client of the broker
	 */
	default String publish(String destination, @Nullable String key, Object payload) {
		OutboxMessage message = OutboxMessage.to(destination, payload);
		return publish((key != null) ? message.withKey(key) : message);
	}

	/**
	 * Publishes an event.
	 * @param message the event and where it goes
	 * @return the id of the event
	 * @throws IllegalTransactionStateException as above
	 * @throws IllegalArgumentException as above
	 */
	String publish(OutboxMessage message);

	/**
	 * The first hundred events of this application that have failed.
	 * @return the events, the oldest first
	 */
	default List<FailingEvent> failing() {
		return failing(100);
	}

	/**
	 * Events of this application that have failed, and hold back the later ones of their
	 * key.
	 * @param limit maximum number, from 1
	 * @return the events, the oldest first
	 */
	List<FailingEvent> failing(int limit);

	/**
	 * Events of this application that no broker has accepted yet, by their keys. The
	 * first {@value #COUNTED} are counted, no more are read.
	 * @param limit maximum number of keys, from 1
	 * @return the keys with most events first
	 */
	List<Backlog> backlog(int limit);

	/**
	 * Tries a failed event again immediately. Joins the current transaction, if any.
	 * @param id its id
	 * @throws IllegalArgumentException if no event with this id has failed
	 */
	void retry(String id);

	/**
	 * Deletes a failed event; the later ones of its key proceed. Joins the current
	 * transaction, if any.
	 * @param id its id
	 * @throws IllegalArgumentException if no event with this id has failed
	 */
	void discard(String id);

	/**
	 * An event that a broker has not accepted yet, and that holds back the later ones of
	 * its key.
	 *
	 * @param id its id
	 * @param destination its destination
	 * @param key its ordering key, {@code null} if it has none
	 * @param type its type
	 * @param publishedAt the time at which it was published, by the database's clock
	 * @param failures the number of times that it has failed
	 * @param retryAt the time at which it is tried again, by the database's clock
	 * @param lastError the reason of an {@link EventRefusedException}, or else the class
	 * names of the last exception and its causes; never another message, which could
	 * quote the payload
	 */
	record FailingEvent(String id, String destination, @Nullable String key, String type, Instant publishedAt,
			int failures, Instant retryAt, String lastError) {
	}

	/**
	 * The events of one destination and one key that no broker has accepted yet.
	 *
	 * @param destination their destination
	 * @param key their ordering key, {@code null} for the events without a key
	 * @param events the number of events
	 * @param refused whether the first of them was refused, and holds back the others
	 * @param oldestAt the time at which the oldest was published, by the database's clock
	 */
	record Backlog(String destination, @Nullable String key, int events, boolean refused, Instant oldestAt) {
	}

}
