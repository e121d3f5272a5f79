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
package dev.idempotency.conformance.operator;

import java.util.Map;
import java.util.function.BiConsumer;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;

/**
 * The operations of {@link LogTests}.
 */
@RestController
class LoggedPayments {

	static volatile BiConsumer<LoggedPayments, String> action = (payments, label) -> {
	};

	private final Effects effects;

	LoggedPayments(Effects effects) {
		this.effects = effects;
	}

	@Idempotent
	@PostMapping({ "/payments", "/open/payments" })
	@ResponseStatus(HttpStatus.CREATED)
	Map<String, Object> pay(@RequestBody Labelled payment) {
		Object id = this.effects.record(payment.label()).getId();
		action.accept(this, payment.label());
		return Map.of("id", id);
	}

	@Idempotent(mode = Mode.LEASED)
	@PostMapping("/leased-payments")
	@ResponseStatus(HttpStatus.CREATED)
	Map<String, Object> leased(@RequestBody Labelled payment) {
		action.accept(this, payment.label());
		return Map.of("label", payment.label());
	}

	@ExceptionHandler(IllegalStateException.class)
	@ResponseStatus(HttpStatus.PAYMENT_REQUIRED)
	Map<String, String> refused() {
		return Map.of("error", "refused");
	}

	@ExceptionHandler(UnsupportedOperationException.class)
	@ResponseStatus(HttpStatus.INTERNAL_SERVER_ERROR)
	Map<String, String> failed() {
		return Map.of("error", "failed");
	}

}
