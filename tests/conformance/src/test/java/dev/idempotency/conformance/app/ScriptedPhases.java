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

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import dev.idempotency.Idempotent;
import dev.idempotency.phase.Phases;
import dev.idempotency.testsupport.TestDatabase;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application whose handlers in phases are written by each test.
 */
public record ScriptedPhases(RunningApplication application) implements AutoCloseable {

	private static final Map<String, Function<Phases, Object>> HANDLERS = new ConcurrentHashMap<>();

	/**
	 * Starts it, without a completer.
	 */
	public static ScriptedPhases start() {
		return start(MigratedDatabase.create(), List.of());
	}

	/**
	 * Starts it on a database, with more configuration and without a completer.
	 */
	public static ScriptedPhases start(TestDatabase database, List<Class<?>> sources, String... properties) {
		HANDLERS.clear();
		List<Class<?>> all = new ArrayList<>(sources);
		all.add(Handlers.class);
		List<String> settings = new ArrayList<>(List.of(properties));
		settings.addAll(List.of("idempotency.completer.enabled=false", "spring.jpa.open-in-view=true"));
		return new ScriptedPhases(RunningApplication.start(database, all, settings.toArray(String[]::new)));
	}

	public Effects effects() {
		return this.application.context().getBean(Effects.class);
	}

	/**
	 * Sends a request whose name is its path and its key.
	 * @param name the name
	 * @param handler what the request and its retries do
	 */
	public HttpResponse<byte[]> call(String name, Function<Phases, Object> handler) {
		HANDLERS.put(name, handler);
		return call(name);
	}

	/**
	 * Sends it again.
	 */
	public HttpResponse<byte[]> call(String name) {
		return this.application.post(RunningApplication.ALICE, "/phases/" + name, name, Labelled.json(name));
	}

	@Override
	public void close() {
		this.application.close();
	}

	@RestController
	static class Handlers {

		@Idempotent
		@PostMapping("/phases/{name}")
		Object run(@PathVariable String name, @RequestBody Labelled body, Phases phases) {
			return HANDLERS.get(name).apply(phases);
		}

	}

}
