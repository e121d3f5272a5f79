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
package dev.idempotency.autoconfigure.actuator;

import java.time.Instant;
import java.util.HexFormat;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

import dev.idempotency.engine.identity.DigestKeys;
import dev.idempotency.outbox.EventRelay;
import dev.idempotency.outbox.Outbox;
import dev.idempotency.outbox.Outbox.Backlog;
import dev.idempotency.outbox.Outbox.FailingEvent;

/**
 * The operators' endpoint of events refused by a broker, and actions on them. As with
 * {@link IdempotencyEndpoint}, the actions have to be enabled.
 */
@Endpoint(id = "idempotencyoutbox", defaultAccess = Access.READ_ONLY)
final class IdempotencyOutboxEndpoint {

	private static final int KEYS = 20;

	private static final int DIGEST_BYTES = 6;

	private final Outbox outbox;

	private final ObjectProvider<EventRelay> relays;

	private final boolean showKeys;

	IdempotencyOutboxEndpoint(Outbox outbox, ObjectProvider<EventRelay> relays, EndpointProperties properties) {
		this.outbox = outbox;
		this.relays = relays;
		this.showKeys = properties.showBodies();
	}

	/**
	 * Returns the events that have failed, oldest first, and the keys with the most
	 * events.
	 * @param limit maximum length of the list, 100 by default and up to 1000
	 * @return the events
	 */
	@ReadOperation
	public FailingEvents failing(@Nullable Integer limit) {
		List<Backlog> backlog = this.outbox.backlog(OperatorCalls.MAX_LIMIT);
		return new FailingEvents(this.outbox.failing(OperatorCalls.limit(limit)).stream().map(EventView::of).toList(),
				backlog.stream().mapToInt(Backlog::events).sum(), backlog.stream().limit(KEYS).map(this::view).toList(),
				relay());
	}

	private BacklogView view(Backlog backlog) {
		String key = backlog.key();
		String digest = (key != null)
				? HexFormat.of().formatHex(DigestKeys.digest("outbox", backlog.destination(), key), 0, DIGEST_BYTES)
				: null;
		return new BacklogView(backlog.destination(), digest, this.showKeys ? key : null, backlog.events(),
				backlog.refused(), backlog.oldestAt());
	}

	private NodeWorkers.@Nullable WorkerState relay() {
		EventRelay relay = this.relays.getIfAvailable();
		return (relay != null) ? new NodeWorkers.WorkerState(relay.isRunning(), relay.lastRun()) : null;
	}

	/**
	 * Retries an event immediately, or deletes it.
	 * @param id its id
	 * @param action {@code retry} or {@code discard}
	 * @param operator the operator's call
	 */
	@WriteOperation
	public void act(@Selector String id, @Selector String action, SecurityContext operator) {
		OperatorCalls.act(operator, action, "event " + id, () -> this.outbox.retry(id), () -> this.outbox.discard(id));
	}

	/**
	 * A list of events.
	 *
	 * @param events the events that have failed
	 * @param waiting the number of events that no broker has accepted yet, in the 1000
	 * longest backlogs among the first 10,000
	 * @param backlog the keys with the most events, at most 20
	 * @param relay the relay of this node, {@code null} if it has none
	 */
	record FailingEvents(List<EventView> events, int waiting, List<BacklogView> backlog,
			NodeWorkers.@Nullable WorkerState relay) implements OperationResponseBody {
	}

	/**
	 * The events of one destination and one key.
	 *
	 * @param destination their destination
	 * @param keyDigest the beginning of a digest of their ordering key, {@code null} for
	 * those that have none
	 * @param key the key, where bodies are shown
	 * @param events the number of events
	 * @param refused whether the first was refused, and holds back the others
	 * @param oldestAt the time at which the oldest was published
	 */
	record BacklogView(String destination, @Nullable String keyDigest, @Nullable String key, int events,
			boolean refused, Instant oldestAt) implements OperationResponseBody {
	}

	/**
	 * An event that has failed.
	 *
	 * @param id its id
	 * @param destination its destination
	 * @param type its type
	 * @param publishedAt the time at which it was published
	 * @param failures the number of failed attempts
	 * @param retryAt the time of the next attempt
	 * @param lastError the reason of its last failure, or the class names of the
	 * exception and its causes
	 */
	record EventView(String id, String destination, String type, Instant publishedAt, int failures, Instant retryAt,
			String lastError) implements OperationResponseBody {

		static EventView of(FailingEvent event) {
			return new EventView(event.id(), event.destination(), event.type(), event.publishedAt(), event.failures(),
					event.retryAt(), event.lastError());
		}

	}

}
