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
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.PropertyResolver;

import dev.idempotency.aop.KeyExpression;
import dev.idempotency.exception.InvalidIdempotentException;

/**
 * Publishes Spring's application events of annotated types, on the thread and in the
 * transaction of their publisher.
 */
public final class OutboxEventListener implements GenericApplicationListener {

	private final Map<Class<?>, Optional<Annotated>> types = new ConcurrentHashMap<>();

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

	/**
	 * Supports objects that are published as payload: the type that one is published as
	 * may be any supertype of its class, which has the annotation. Spring remembers the
	 * result, and does not call the listener for other events, such as one for each web
	 * request.
	 */
	@Override
	public boolean supportsEventType(ResolvableType eventType) {
		Class<?> type = eventType.toClass();
		return PayloadApplicationEvent.class.isAssignableFrom(type)
				|| type.isAssignableFrom(PayloadApplicationEvent.class)
				|| AnnotatedElementUtils.hasAnnotation(type, OutboxEvent.class);
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
		if (AnnotatedElementUtils.hasAnnotation(event.getClass(), OutboxEvent.class)) {
			throw new InvalidIdempotentException(
					"The event " + event.getClass().getName()
							+ " has @OutboxEvent and extends ApplicationEvent, whose source would be sent with it.",
					"Publish an object that does not extend ApplicationEvent, such as a record: Spring accepts any.");
		}
		if (event instanceof PayloadApplicationEvent<?> published) {
			Object payload = published.getPayload();
			this.types
				.computeIfAbsent(payload.getClass(), (type) -> Optional.ofNullable(Annotated.of(type, this.properties)))
				.ifPresent((type) -> publish(type, payload));
		}
	}

	private void publish(Annotated type, Object payload) {
		Outbox available = this.outbox.getIfAvailable();
		if (available == null) {
			throw new IllegalStateException("The event " + payload.getClass().getName()
					+ " has @OutboxEvent, but no outbox is configured, so the event would be lost. Set "
					+ "idempotency.outbox.enabled=true, or declare an Outbox bean.");
		}
		available.publish(type.toMessage(payload));
	}

	/**
	 * The values of an {@link OutboxEvent} annotation.
	 *
	 * @param destination the destination of events
	 * @param type the type of events
	 * @param key their ordering key
	 * @param id their ids
	 */
	private record Annotated(String destination, @Nullable String type, @Nullable KeyExpression key,
			@Nullable KeyExpression id) {

		/**
		 * Returns the values of the annotation of a class, {@code null} without one.
		 */
		static @Nullable Annotated of(Class<?> payloadType, PropertyResolver properties) {
			OutboxEvent annotation = AnnotatedElementUtils.findMergedAnnotation(payloadType, OutboxEvent.class);
			if (annotation == null) {
				return null;
			}
			String type = properties.resolveRequiredPlaceholders(annotation.type());
			return new Annotated(properties.resolveRequiredPlaceholders(annotation.destination()),
					type.isEmpty() ? null : type, parse(annotation.key(), "key", payloadType),
					parse(annotation.id(), "id", payloadType));
		}

		private static @Nullable KeyExpression parse(String expression, String attribute, Class<?> payloadType) {
			return expression.isEmpty() ? null
					: new KeyExpression(expression, "The " + attribute + " of @OutboxEvent on " + payloadType.getName(),
							"Write a SpEL expression over the event, such as \"orderId()\".");
		}

		OutboxMessage toMessage(Object payload) {
			return new OutboxMessage(this.destination, payload, (this.key != null) ? this.key.require(payload) : null,
					this.type, (this.id != null) ? this.id.require(payload) : null, Map.of());
		}

	}

}
