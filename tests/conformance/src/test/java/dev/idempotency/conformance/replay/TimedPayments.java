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

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;

/**
 * The operations of {@link TimeTests}.
 */
@RestController
class TimedPayments {

	private final Effects effects;

	TimedPayments(Effects effects) {
		this.effects = effects;
	}

	@Idempotent
	@PostMapping("/payments")
	@ResponseStatus(HttpStatus.CREATED)
	Map<String, Object> pay(@RequestBody Labelled payment) {
		return Map.of("id", this.effects.record(payment.label()).getId());
	}

	@Idempotent
	@PostMapping("/unknown-payments")
	@ResponseStatus(HttpStatus.NOT_FOUND)
	Map<String, Object> payUnknown(@RequestBody Labelled payment) {
		return Map.of("unknown", payment.label());
	}

	@Idempotent(ttl = "5m")
	@PostMapping("/short-unknown-payments")
	@ResponseStatus(HttpStatus.NOT_FOUND)
	Map<String, Object> payUnknownShort(@RequestBody Labelled payment) {
		return payUnknown(payment);
	}

	@Idempotent(ttl = "5m")
	@PostMapping("/short-payments")
	@ResponseStatus(HttpStatus.CREATED)
	Map<String, Object> payShort(@RequestBody Labelled payment) {
		return pay(payment);
	}

}
