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
package dev.idempotency.conformance.transaction;

import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.springframework.core.task.TaskDecorator;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Gates;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.phase.Phases;

/**
 * Payments of each kind of transaction, some of which wait at a gate between a read and
 * their end.
 */
@RestController
class IsolatedPayments {

	static final Gates GATES = new Gates();

	private final Effects effects;

	private final org.springframework.core.env.Environment environment;

	private final JdbcTemplate jdbc;

	private final TaskDecorator fence;

	IsolatedPayments(Effects effects, JdbcTemplate jdbc, TaskDecorator fence,
			org.springframework.core.env.Environment environment) {
		this.jdbc = jdbc;
		this.fence = fence;
		this.effects = effects;
		this.environment = environment;
	}

	@Idempotent
	@PostMapping("/payments")
	@ResponseStatus(HttpStatus.CREATED)
	Map<String, Object> pay(@RequestBody Labelled payment) {
		return Map.of("id", this.effects.record(payment.label()).getId());
	}

	@Idempotent
	@PostMapping("/refused")
	void refuse(@RequestBody Labelled payment) {
		throw new ResponseStatusException(HttpStatus.NOT_FOUND, payment.label());
	}

	@Idempotent(mode = Mode.LEASED)
	@PostMapping("/leased")
	@ResponseStatus(HttpStatus.CREATED)
	Map<String, Object> payLeased(@RequestBody Labelled payment) {
		return pay(payment);
	}

	@Transactional
	@Idempotent(mode = Mode.LEASED)
	@PostMapping("/leased-transactional")
	@ResponseStatus(HttpStatus.CREATED)
	public Map<String, Object> payLeasedInTransaction(@RequestBody Labelled payment) {
		return pay(payment);
	}

	@Transactional
	@Idempotent(mode = Mode.LEASED)
	@PostMapping("/gated")
	@ResponseStatus(HttpStatus.CREATED)
	public Map<String, Object> payLater(@RequestBody Labelled payment) {
		Map<String, Object> paid = pay(payment);
		GATES.pass(payment.label()
				+ this.environment.getProperty("spring.datasource.hikari.transaction-isolation", "").substring(12));
		return paid;
	}

	@Idempotent
	@PostMapping("/skewed")
	@ResponseStatus(HttpStatus.CREATED)
	Map<String, Object> paySkewed(@RequestBody Labelled payment) {
		this.jdbc.queryForObject("select count(*) from effect", Long.class);
		Map<String, Object> paid = Map.of("id", this.effects.recordAndFlush(payment.label()).getId());
		GATES.pass(payment.label());
		return paid;
	}

	@Transactional
	@Idempotent(mode = Mode.LEASED)
	@PostMapping("/skewed-leased")
	@ResponseStatus(HttpStatus.CREATED)
	public Map<String, Object> paySkewedUnderLease(@RequestBody Labelled payment) {
		return paySkewed(payment);
	}

	@Transactional
	@PostMapping("/skewed-plain")
	@ResponseStatus(HttpStatus.CREATED)
	public Map<String, Object> paySkewedUnprotected(@RequestBody Labelled payment) {
		return paySkewed(payment);
	}

	@Transactional
	@Idempotent(mode = Mode.LEASED)
	@PostMapping("/nested")
	@ResponseStatus(HttpStatus.CREATED)
	public Map<String, Object> payNested(@RequestBody Labelled payment) {
		pay(payment);
		return Map.of("id", this.effects.recordInNewTransaction(payment.label()).getId());
	}

	@Transactional
	@Idempotent(mode = Mode.LEASED)
	@PostMapping("/nested-elsewhere")
	@ResponseStatus(HttpStatus.CREATED)
	public Map<String, Object> payNestedElsewhere(@RequestBody Labelled payment) {
		pay(payment);
		return CompletableFuture
			.supplyAsync(() -> Map.<String, Object>of("id", this.effects.record(payment.label()).getId()),
					(task) -> new Thread(this.fence.decorate(task)).start())
			.join();
	}

	@Idempotent
	@PostMapping("/phased")
	@ResponseStatus(HttpStatus.CREATED)
	Map<String, Object> payInPhases(@RequestBody Labelled payment, Phases phases) {
		phases.foreign("charged", String.class, (key) -> key);
		return phases.finish(() -> pay(payment));
	}

}
