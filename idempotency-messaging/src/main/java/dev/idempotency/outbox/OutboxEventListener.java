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

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.PropertyResolver;

/**
 * Publishes Spring's application events of annotated types, on the thread and in the
 * transaction of their publisher.
 */
public final class OutboxEventListener implements GenericApplicationListener {

	private final Map<Class<?>, OutboxEventType> types = new ConcurrentHashMap<>();

	private final ObjectProvider<Outbox> outbox;

	private final PropertyResolver properties;

	/**
	 * Creates a listener.
	 * @param outbox the outbox, if there is one
	 * @param properties resolves the placeholders of annotations
	 */
	public OutboxEventListener(ObjectProvider<Outbox> outbox, PropertyResolver properties) {
		this.outbox = outbox;
		this.properties = properties;
	}

	@Override
	public boolean supportsEventType(ResolvableType eventType) {
		Class<?> payload = eventType.as(PayloadApplicationEvent.class).getGeneric().toClass();
		return AnnotatedElementUtils.hasAnnotation(payload, OutboxEvent.class);
	}

	/**
	 * Publishes on the thread of the event: another thread would be outside the
	 * transaction.
	 */
	@Override
	public boolean supportsAsyncExecution() {
		return false;
	}

	@Override
	public void onApplicationEvent(ApplicationEvent event) {
		if (event instanceof PayloadApplicationEvent<?> published) {
			Object payload = published.getPayload();
			Outbox available = this.outbox.getIfAvailable();
			if (available == null) {
				throw new IllegalStateException("The event " + payload.getClass().getName()
						+ " has @OutboxEvent, but no outbox is configured, so the event would be lost. Set "
						+ "idempotency.outbox.enabled=true, or declare an Outbox bean.");
			}
			available.publish(typeOf(payload.getClass()).toMessage(payload));
		}
	}

	private OutboxEventType typeOf(Class<?> payloadType) {
		return this.types.computeIfAbsent(payloadType, (type) -> OutboxEventType.of(type, this.properties));
	}

}
