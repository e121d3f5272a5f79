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
package dev.idempotency.engine;

import java.util.List;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import dev.idempotency.IdempotencyListener;
import dev.idempotency.IdempotencyNotification;
import dev.idempotency.logging.LogEvent;

/**
 * Publishes notifications to the listeners. A failure of a listener is logged and changes
 * nothing.
 */
public final class NotificationPublisher {

	public static final NotificationPublisher NOBODY = new NotificationPublisher(List.of());

	private static final Log logger = LogFactory.getLog(NotificationPublisher.class);

	private final List<IdempotencyListener> listeners;

	public NotificationPublisher(List<IdempotencyListener> listeners) {
		this.listeners = List.copyOf(listeners);
	}

	/**
	 * Publishes a notification to all listeners.
	 * @param notification the notification
	 */
	public void publish(IdempotencyNotification notification) {
		for (IdempotencyListener listener : this.listeners) {
			try {
				listener.onNotification(notification);
			}
			catch (RuntimeException ex) {
				LogEvent.LISTENER_FAILED.log(logger,
						"Listener " + listener.getClass().getName() + " failed on " + notification, ex);
			}
		}
	}

}
