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
package dev.idempotency.conformance.lease;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.core.task.TaskDecorator;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Gates;
import dev.idempotency.conformance.app.Labelled;

/**
 * Handlers in mode leased that wait, end their transactions or use other threads.
 */
final class LeaseHandlers {

	static final Gates GATES = new Gates();

	private LeaseHandlers() {
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnDecorator {

		static final AtomicInteger DECORATED = new AtomicInteger();

		@Bean
		static TaskDecorator ownDecorator() {
			return (task) -> {
				DECORATED.incrementAndGet();
				return task;
			};
		}

	}

	@RestController
	@Idempotent(mode = Mode.LEASED)
	@ResponseStatus(HttpStatus.CREATED)
	static class Controller {

		private final Effects effects;

		private final JdbcTemplate jdbc;

		private final AsyncTaskExecutor executor;

		private volatile boolean passed;

		Controller(Effects effects, JdbcTemplate jdbc, AsyncTaskExecutor executor) {
			this.effects = effects;
			this.jdbc = jdbc;
			this.executor = executor;
		}

		@PostMapping("/free")
		Map<String, Object> free(@RequestBody Labelled body) {
			return record(body);
		}

		@PostMapping("/gated")
		Map<String, Object> gated(@RequestBody Labelled body) {
			GATES.pass(body.label());
			return record(body);
		}

		@PostMapping("/gated-once")
		Map<String, Object> gatedOnce(@RequestBody Labelled body) {
			if (!this.passed) {
				this.passed = true;
				GATES.pass(body.label());
			}
			return record(body);
		}

		@PostMapping("/effect-first")
		Map<String, Object> effectFirst(@RequestBody Labelled body) {
			Map<String, Object> answer = record(body);
			GATES.pass(body.label());
			return answer;
		}

		@Transactional
		@PostMapping("/same-seat-twice")
		public Map<String, Object> sameSeatTwice(@RequestBody Labelled body) {
			this.jdbc.update("insert into seat values (1), (1)");
			return record(body);
		}

		@Transactional
		@PostMapping("/transactional")
		public Map<String, Object> transactional(@RequestBody Labelled body) {
			GATES.pass(body.label());
			return Map.of("id", this.effects.recordInNewTransaction(body.label()).getId());
		}

		@PostMapping("/on-executor")
		CompletableFuture<Map<String, Object>> onExecutor(@RequestBody Labelled body) {
			return CompletableFuture.supplyAsync(() -> {
				GATES.pass(body.label());
				return record(body);
			}, this.executor);
		}

		@PostMapping("/fire-and-forget")
		void fireAndForget(@RequestBody Labelled body) {
			this.executor.execute(() -> {
				GATES.pass(body.label());
				record(body);
			});
		}

		private Map<String, Object> record(Labelled body) {
			return Map.of("id", this.effects.record(body.label()).getId());
		}

	}

}
