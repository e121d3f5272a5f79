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

import java.util.concurrent.CompletableFuture;

/**
 * Sends events to a message broker. Declared as a bean it replaces the one that
 * {@code idempotency.outbox.broker} configures.
 */
@FunctionalInterface
public interface EventSender {

	/**
	 * Refuses an event that could never be sent, such as one that is larger than the
	 * client of the broker sends. It is called before the event is stored, by the thread
	 * and in the transaction of its publisher, and must not call the broker. By default
	 * no event is refused.
	 * @param event the event, with the time of this node
	 * @throws IllegalArgumentException if the event cannot be sent, with a message that
	 * says what to change
	 */
	default void requireSendable(OutgoingEvent event) {
	}

	/**
	 * Sends an event. It is called by one thread, without a transaction. While it blocks,
	 * no other event of this node is sent.
	 * @param event the event
	 * @return completed when the broker has durably accepted the event. An exception is
	 * attributed to the event, which is then retried later and holds back the others of
	 * its key, except for a {@link DestinationUnavailableException}, after which nothing
	 * is sent to the destination for a while. Cancelled by the same thread if there is no
	 * response within {@code idempotency.outbox.send-timeout}
	 */
	CompletableFuture<?> send(OutgoingEvent event);

}
