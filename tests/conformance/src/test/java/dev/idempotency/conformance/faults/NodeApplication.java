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
package dev.idempotency.conformance.faults;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.PhaseHook;
import dev.idempotency.conformance.app.Rides;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.testsupport.TestDatabase;

import org.springframework.http.HttpStatus;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * A small application with an operation of each kind: each writes one effect and answers
 * with its id.
 */
final class NodeApplication {

	static final String STARTED = "STARTED ";

	static final String TRANSACTIONAL = "/transactional";

	static final String LEASED = "/leased";

	static final String LEASED_TRANSACTIONAL = "/leased-transactional";

	static final String CALLABLE = "/callable";

	static final List<String> PATHS = List.of(TRANSACTIONAL, LEASED, LEASED_TRANSACTIONAL, CALLABLE);

	private NodeApplication() {
	}

	/**
	 * Runs a node.
	 * @param arguments address, user and password of the database, then properties
	 */
	public static void main(String[] arguments) {
		// A test run that is killed does not leave its nodes behind.
		ProcessHandle.current()
			.parent()
			.ifPresent((parent) -> parent.onExit().thenRun(() -> Runtime.getRuntime().halt(1)));
		PhaseHook.everywhere(Stops::reach);
		TestDatabase database = new TestDatabase(arguments[0], arguments[1], arguments[2]);
		String[] properties = List.of(arguments).subList(3, arguments.length).toArray(new String[0]);
		RunningApplication node = start(database, properties);
		System.out.println(STARTED + node.port());
	}

	/**
	 * Runs a node in this JVM.
	 */
	static RunningApplication start(TestDatabase database, String... properties) {
		return RunningApplication.start(database, List.of(Handlers.class, Rides.class, Stops.class), properties);
	}

	@RestController
	@ResponseStatus(HttpStatus.CREATED)
	static class Handlers {

		private final Effects effects;

		Handlers(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping(TRANSACTIONAL)
		Map<String, Object> transactional(@RequestBody Labelled body) {
			return work(body);
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping(LEASED)
		Map<String, Object> leased(@RequestBody Labelled body) {
			return work(body);
		}

		@Transactional
		@Idempotent(mode = Mode.LEASED)
		@PostMapping(LEASED_TRANSACTIONAL)
		public Map<String, Object> leasedTransactional(@RequestBody Labelled body) {
			return work(body);
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping(CALLABLE)
		Callable<Map<String, Object>> callable(@RequestBody Labelled body) {
			Stops.reach(StopPoint.IN_HANDLER);
			return () -> Map.of("id", this.effects.record(body.label()).getId());
		}

		private Map<String, Object> work(Labelled body) {
			Stops.reach(StopPoint.IN_HANDLER);
			Map<String, Object> answer = Map.of("id", this.effects.recordAndFlush(body.label()).getId());
			Stops.reach(StopPoint.AFTER_EFFECT);
			return answer;
		}

		@PostMapping("/resume")
		void resume() {
			Stops.resume();
		}

	}

}
