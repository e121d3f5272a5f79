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
package dev.idempotency.conformance.security;

import java.util.Map;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;

/**
 * The operations of {@link AuthorizationTests}.
 */
@RestController
@EnableMethodSecurity
@Import({ AuthorizationTests.Bank.class, AuthorizationTests.TooManyRequestsFilter.class })
class AuthorizedPayments {

	private final Effects effects;

	private final AuthorizationTests.Bank bank;

	AuthorizedPayments(Effects effects, AuthorizationTests.Bank bank) {
		this.effects = effects;
		this.bank = bank;
	}

	@Bean
	@Order(0)
	static SecurityFilterChain ruled(HttpSecurity http) {
		return http.securityMatcher("/ruled/**")
			.csrf((csrf) -> csrf.disable())
			.httpBasic(Customizer.withDefaults())
			.authorizeHttpRequests((requests) -> requests.anyRequest().hasRole("PAYER"))
			.build();
	}

	@Idempotent
	@PostMapping("/payments")
	@PreAuthorize("hasRole('PAYER')")
	@ResponseStatus(HttpStatus.CREATED)
	Map<String, Object> pay(@RequestBody Labelled payment) {
		return Map.of("id", this.effects.record(payment.label()).getId());
	}

	@Idempotent
	@PostMapping("/ruled/payments")
	@ResponseStatus(HttpStatus.CREATED)
	Map<String, Object> payRuled(@RequestBody Labelled payment) {
		return Map.of("id", this.effects.record(payment.label()).getId());
	}

	@Idempotent
	@PostMapping("/service-payments")
	@ResponseStatus(HttpStatus.CREATED)
	Map<String, Object> payByService(@RequestBody Labelled payment) {
		Map<String, Object> paid = pay(payment);
		this.bank.charge();
		return paid;
	}

}
