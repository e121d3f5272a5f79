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

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.ResolvableType;

import dev.idempotency.exception.InvalidIdempotentException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class OutboxEventListenerTests {

	private final List<Object> sent = new ArrayList<>();

	private final Multicaster multicaster = new Multicaster();

	private final GenericApplicationContext context = new GenericApplicationContext();

	@BeforeEach
	void listen() {
		this.context.registerBean(AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME, Multicaster.class,
				() -> this.multicaster);
		this.context.registerBean(Outbox.class, () -> new RecordingOutbox(this.sent));
		this.context.registerBean(OutboxEventListener.class,
				() -> new OutboxEventListener(this.context.getBeanProvider(Outbox.class),
						this.context.getEnvironment()));
		this.context.refresh();
	}

	@AfterEach
	void close() {
		this.context.close();
	}

	@Test
	void eventsThatNobodyAnnotatedDoNotCallTheListener() {
		ApplicationEvent request = new RequestHandled(this);
		assertThat(this.multicaster.listenersOf(request)).noneMatch(OutboxEventListener.class::isInstance);
		this.context.publishEvent(request);
		assertThat(this.sent).isEmpty();
	}

	@Test
	@Tag("M8")
	void annotatedObjectsAreSentWhateverTypeTheyArePublishedAs() {
		Booked booked = new Booked("ride-1");
		this.context.publishEvent(booked);
		this.context.publishEvent(new PayloadApplicationEvent<>(this, booked));
		this.context.publishEvent(new PayloadApplicationEvent<Ride>(this, booked, ResolvableType.forClass(Ride.class)));
		this.context.publishEvent(new RidePublished<>(this, booked));
		this.multicaster.multicastEvent(new PayloadApplicationEvent<>(this, booked),
				ResolvableType.forClass(ApplicationEvent.class));
		assertThat(this.sent).hasSize(5).containsOnly(booked);
	}

	@Test
	@Tag("M8")
	void subclassesOfAnnotatedClassesAreSent() {
		this.context.publishEvent(new Refunded());
		assertThat(this.sent).hasSize(1);
	}

	@Test
	void objectsWithoutAnAnnotationAreNotSent() {
		this.context.publishEvent("ride-1");
		this.context.publishEvent(new RidePublished<>(this, new Ride() {
		}));
		assertThat(this.sent).isEmpty();
	}

	@Test
	@Tag("M8")
	void anAnnotatedApplicationEventIsRefused() {
		assertThatExceptionOfType(InvalidIdempotentException.class)
			.isThrownBy(() -> this.context.publishEvent(new AnnotatedApplicationEvent(this)))
			.withMessageContaining("has @OutboxEvent and extends ApplicationEvent");
		assertThatExceptionOfType(InvalidIdempotentException.class)
			.isThrownBy(() -> this.context.publishEvent(new AnnotatedApplicationEvent(this) {
			}));
	}

	interface Ride {

	}

	@OutboxEvent(destination = "rides")
	record Booked(String id) implements Ride {
	}

	@OutboxEvent(destination = "rides")
	static class Cancelled {

	}

	static class Refunded extends Cancelled {

	}

	static class RequestHandled extends ApplicationEvent {

		RequestHandled(Object source) {
			super(source);
		}

	}

	@OutboxEvent(destination = "rides")
	static class AnnotatedApplicationEvent extends ApplicationEvent {

		AnnotatedApplicationEvent(Object source) {
			super(source);
		}

	}

	static class RidePublished<T extends Ride> extends PayloadApplicationEvent<T> {

		RidePublished(Object source, T payload) {
			super(source, payload);
		}

	}

	/**
	 * Spring's multicaster, which shows the listeners that it has found for an event.
	 */
	static class Multicaster extends SimpleApplicationEventMulticaster {

		Collection<ApplicationListener<?>> listenersOf(ApplicationEvent event) {
			return getApplicationListeners(event, ResolvableType.forInstance(event));
		}

	}

	record RecordingOutbox(List<Object> sent) implements Outbox {

		@Override
		public String publish(OutboxMessage message) {
			this.sent.add(message.payload());
			return "1";
		}

		@Override
		public List<FailingEvent> failing(int limit) {
			return List.of();
		}

		@Override
		public List<Backlog> backlog(int limit) {
			return List.of();
		}

		@Override
		public void retry(String id) {
			throw new IllegalArgumentException("No event has the id " + id);
		}

		@Override
		public void discard(String id) {
			throw new IllegalArgumentException("No event has the id " + id);
		}

	}

}
