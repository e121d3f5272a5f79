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
package dev.idempotency.conformance.app;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.test.simple.SimpleSpan;
import io.micrometer.tracing.test.simple.SimpleTracer;

import static org.awaitility.Awaitility.await;

/**
 * The spans of an application, for one request at a time.
 */
public final class Traces {

	private final SimpleTracer tracer = new SimpleTracer();

	private final AtomicInteger roots = new AtomicInteger();

	private final ObservationRegistry registry;

	private Traces(ObservationRegistry registry) {
		this.registry = registry;
	}

	/**
	 * Traces an application from now on.
	 */
	public static Traces of(RunningApplication application) {
		Traces traces = new Traces(application.context().getBean(ObservationRegistry.class));
		// Handlers hear of the end in reverse order: this one when the spans have ended.
		traces.registry.observationConfig()
			.observationHandler(traces.new Roots())
			.observationHandler(new DefaultTracingObservationHandler(traces.tracer));
		return traces;
	}

	/**
	 * The spans of what is done, which has one root.
	 */
	public List<Span> record(Runnable action) {
		return record(() -> {
			action.run();
			return true;
		});
	}

	/**
	 * The spans of what is done, which has one root.
	 */
	public List<Span> record(Supplier<?> action) {
		return record(1, action);
	}

	/**
	 * The spans of what is done and of what follows from it, which have several roots.
	 */
	public List<Span> record(int roots, Supplier<?> action) {
		this.tracer.getSpans().clear();
		int before = this.roots.get();
		action.get();
		await().until(() -> this.roots.get() >= before + roots);
		List<Span> spans = new ArrayList<>();
		for (SimpleSpan span : this.tracer.getSpans()) {
			spans.add(new Span(span.getName(), span.getSpanId(), span.getParentId(), span.getTags(),
					span.getEvents().stream().map(Map.Entry::getValue).toList(), span.getError(),
					span.getEndTimestamp().toEpochMilli() > 0));
		}
		return spans;
	}

	/**
	 * Does something of one's own that is traced if the thread is.
	 */
	public void observe(String name) {
		if (this.registry.getCurrentObservation() != null) {
			Observation.createNotStarted(name, this.registry).observe(() -> {
			});
		}
	}

	/**
	 * The spans of the library below a span, in the order of their beginning.
	 */
	public static List<Span> within(List<Span> spans, Span parent) {
		return spans.stream()
			.filter((span) -> parent.id().equals(span.parentId()) && span.name().startsWith("idempotency "))
			.toList();
	}

	public static Span span(List<Span> spans, String name) {
		return spans.stream()
			.filter((span) -> span.name().equals(name))
			.findFirst()
			.orElseThrow(() -> new AssertionError("No span " + name + " in " + spans));
	}

	/**
	 * A span.
	 *
	 * @param name its name
	 * @param id its id
	 * @param parentId the id of its parent, empty or {@code null} without
	 * @param tags its tags
	 * @param events the names of its events, in order
	 * @param error its error, or {@code null}
	 * @param ended whether it has ended
	 */
	public record Span(String name, String id, String parentId, Map<String, String> tags, List<String> events,
			Throwable error, boolean ended) {

		/**
		 * Name, events and outcome.
		 */
		@Override
		public String toString() {
			String name = this.events.isEmpty() ? this.name : this.name + " " + this.events;
			return name + ": " + this.tags.get("outcome") + ((this.error != null) ? " !" : "");
		}

	}

	private final class Roots implements ObservationHandler<Observation.Context> {

		@Override
		public void onStop(Observation.Context context) {
			if (context.getParentObservation() == null) {
				Traces.this.roots.incrementAndGet();
			}
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

	}

}
