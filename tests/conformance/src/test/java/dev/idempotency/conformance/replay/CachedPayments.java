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
package dev.idempotency.conformance.replay;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Bean;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.IdempotencyRequest;
import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Replay;
import dev.idempotency.autoconfigure.cache.TickingAnswers;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MovableTime;
import dev.idempotency.engine.ResponseCache;

/**
 * The operations of {@link LocalCacheTests}.
 */
@RestController
@EnableMethodSecurity
@EnableCaching
class CachedPayments {

	static final MovableTime TIME = new MovableTime();

	private final Set<String> failed = ConcurrentHashMap.newKeySet();

	private final Effects effects;

	private final JdbcTemplate jdbc;

	private final IdempotencyOperations operations;

	private int runs;

	CachedPayments(Effects effects, JdbcTemplate jdbc, IdempotencyOperations operations) {
		this.effects = effects;
		this.jdbc = jdbc;
		this.operations = operations;
	}

	@Bean
	static ResponseCache localAnswers() {
		return TickingAnswers.create(TIME);
	}

	@Idempotent
	@PostMapping("/payments")
	@PreAuthorize("hasRole('PAYER')")
	ResponseEntity<Map<String, Object>> pay(@RequestBody Labelled payment) {
		return ResponseEntity.status(HttpStatus.CREATED).header("X-Kind", "payment").body(record(payment));
	}

	@Idempotent
	@PostMapping("/deferred")
	Map<String, Object> deferred(@RequestBody Labelled payment) {
		this.jdbc.update("insert into deferred_unique values (?)", payment.label());
		return record(payment);
	}

	@Idempotent
	@PostMapping("/failing")
	ResponseEntity<Map<String, Object>> failing(@RequestBody Labelled payment) {
		return this.failed.add(payment.label()) ? ResponseEntity.status(503).build()
				: ResponseEntity.ok(record(payment));
	}

	@Idempotent(replay = Replay.NONE)
	@PostMapping("/once")
	Map<String, Object> once(@RequestBody Labelled payment) {
		return record(payment);
	}

	@Idempotent
	@PostMapping("/large")
	String large(@RequestBody Labelled payment) {
		return payment.label().repeat(10_000);
	}

	@Transactional
	@PostMapping("/twice")
	public String twice(@RequestBody Labelled payment, @RequestParam String end) {
		String values = run(payment) + " " + run(payment);
		if (end.equals("rollback")) {
			throw new IllegalStateException(values);
		}
		return values;
	}

	private Integer run(Labelled payment) {
		IdempotencyRequest request = IdempotencyRequest.of("run", payment.label());
		return this.operations.execute(request, Integer.class, () -> {
			this.effects.record(payment.label());
			return ++this.runs;
		});
	}

	private Map<String, Object> record(Labelled payment) {
		return Map.of("id", this.effects.record(payment.label()).getId());
	}

}
