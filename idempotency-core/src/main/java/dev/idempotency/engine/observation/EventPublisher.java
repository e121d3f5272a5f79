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

import java.util.List;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import dev.idempotency.IdempotencyEvent;
import dev.idempotency.IdempotencyListener;
import dev.idempotency.logging.LogEvent;

/**
 * Publishes events to the listeners. A listener that fails changes nothing.
 */
public final class EventPublisher {

	public static final EventPublisher NOBODY = new EventPublisher(List.of());

	private static final Log logger = LogFactory.getLog(EventPublisher.class);

	private final List<IdempotencyListener> listeners;

	public EventPublisher(List<IdempotencyListener> listeners) {
		this.listeners = List.copyOf(listeners);
	}

	/**
	 * Publishes an event to all listeners.
	 * @param event the event
	 */
	public void publish(IdempotencyEvent event) {
		for (IdempotencyListener listener : this.listeners) {
			try {
				listener.onEvent(event);
			}
			catch (RuntimeException ex) {
				LogEvent.LISTENER_FAILED.log(logger,
						"Listener " + listener.getClass().getName() + " failed on " + event, ex);
			}
		}
	}

}
