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
package dev.idempotency.conformance.setting;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effect;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.job.JobHandler;
import dev.idempotency.job.JobType;
import dev.idempotency.phase.Phases;

/**
 * A payment of each kind of request. Each fails once, after its effect, if its label says
 * so.
 */
@RestController
@Import(ConfiguredPayments.Ledger.class)
class ConfiguredPayments {

	static final String FAILS_ONCE = "-fails-once";

	static final JobType<Labelled> RECEIPT = JobType.of("receipt", Labelled.class);

	private final Effects effects;

	private final Ledger ledger;

	private final Set<String> failed = ConcurrentHashMap.newKeySet();

	ConfiguredPayments(Effects effects, Ledger ledger) {
		this.effects = effects;
		this.ledger = ledger;
	}

	@Idempotent
	@PostMapping("/transactional")
	@ResponseStatus(HttpStatus.CREATED)
	Map<String, Object> pay(@RequestBody Labelled payment) {
		Effect effect = this.effects.recordAndFlush(payment.label());
		failOnce(payment.label());
		return Map.of("id", effect.getId(), "label", effect.getLabel());
	}

	@Idempotent(mode = Mode.LEASED)
	@PostMapping("/leased")
	@ResponseStatus(HttpStatus.CREATED)
	Map<String, Object> payUnderLease(@RequestBody Labelled payment) {
		failOnce(payment.label());
		Effect effect = this.effects.record(payment.label());
		return Map.of("id", effect.getId(), "label", effect.getLabel());
	}

	@Transactional
	@Idempotent(mode = Mode.LEASED)
	@PostMapping("/leased-transactional")
	@ResponseStatus(HttpStatus.CREATED)
	public Map<String, Object> payUnderLeaseInTransaction(@RequestBody Labelled payment) {
		return pay(payment);
	}

	@Idempotent
	@PostMapping("/phased")
	@ResponseStatus(HttpStatus.CREATED)
	Map<String, Object> payInPhases(@RequestBody Labelled payment, Phases phases) {
		String id = phases.atomic("paid", String.class,
				() -> this.effects.recordAndFlush(payment.label()).getId().toString());
		phases.foreign("charged", String.class, (key) -> {
			failOnce(payment.label());
			return key;
		});
		return phases.finish(() -> {
			phases.stage(RECEIPT, new Labelled("receipt-" + payment.label()));
			return Map.of("id", id, "label", payment.label());
		});
	}

	@PostMapping("/service")
	@ResponseStatus(HttpStatus.CREATED)
	Map<String, Object> payInService(@RequestBody Labelled payment) {
		return Map.of("id", this.ledger.pay(payment.label()));
	}

	@Idempotent
	@PostMapping("/refused")
	void refuse(@RequestBody Labelled payment) {
		this.effects.recordAndFlush(payment.label());
		throw new ResponseStatusException(HttpStatus.NOT_FOUND, payment.label());
	}

	@PostMapping("/plain")
	Map<String, Object> plain(@RequestBody Labelled payment) {
		return Map.of("id", this.effects.record(payment.label()).getId());
	}

	@Bean
	JobHandler<Labelled> receipts() {
		return JobHandler.of(RECEIPT, (payload) -> this.effects.record(payload.label()));
	}

	private void failOnce(String label) {
		if (label.endsWith(FAILS_ONCE) && this.failed.add(label)) {
			throw new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE, label);
		}
	}

	static class Ledger {

		private final Effects effects;

		Ledger(Effects effects) {
			this.effects = effects;
		}

		@Idempotent(key = "#label")
		public String pay(String label) {
			return this.effects.record(label).getId().toString();
		}

	}

}
