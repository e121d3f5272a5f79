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

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

import dev.idempotency.outbox.FailingEvent;
import dev.idempotency.outbox.Outbox;

/**
 * The operators' endpoint of events refused by a broker, and actions on them. As with
 * {@link IdempotencyEndpoint}, the actions have to be enabled.
 */
@Endpoint(id = "idempotencyoutbox", defaultAccess = Access.READ_ONLY)
public final class IdempotencyOutboxEndpoint {

	private final Outbox outbox;

	/**
	 * Creates an endpoint.
	 * @param outbox the outbox
	 */
	public IdempotencyOutboxEndpoint(Outbox outbox) {
		this.outbox = outbox;
	}

	/**
	 * The events that have failed, the oldest first.
	 * @param limit maximum length of the list, 100 by default and up to 1000
	 * @return the events
	 */
	@ReadOperation
	public FailingEvents failing(@Nullable Integer limit) {
		return new FailingEvents(this.outbox.failing(Limit.of(limit)).stream().map(EventView::of).toList());
	}

	/**
	 * Tries an event again now, or deletes it.
	 * @param id its id
	 * @param action {@code retry} or {@code discard}
	 */
	@WriteOperation
	public void act(@Selector String id, @Selector String action) {
		try {
			switch (action) {
				case "retry" -> this.outbox.retry(id);
				case "discard" -> this.outbox.discard(id);
				default -> throw new IllegalArgumentException("Write retry or discard");
			}
		}
		catch (IllegalArgumentException ex) {
			String reason = String.valueOf(ex.getMessage());
			throw new InvalidEndpointRequestException(reason, reason, ex);
		}
	}

	/**
	 * A list of events.
	 *
	 * @param events the events
	 */
	public record FailingEvents(List<EventView> events) implements OperationResponseBody {
	}

	/**
	 * An event that has failed.
	 *
	 * @param id its id
	 * @param destination its destination
	 * @param type its type
	 * @param publishedAt the time at which it was published
	 * @param failures the number of times that it has failed
	 * @param retryAt the time at which it is tried again
	 * @param lastError the names of the exceptions that it failed with
	 */
	public record EventView(String id, String destination, String type, Instant publishedAt, int failures,
			Instant retryAt, String lastError) implements OperationResponseBody {

		static EventView of(FailingEvent event) {
			return new EventView(event.id(), event.destination(), event.type(), event.publishedAt(), event.failures(),
					event.retryAt(), event.lastError());
		}

	}

}
