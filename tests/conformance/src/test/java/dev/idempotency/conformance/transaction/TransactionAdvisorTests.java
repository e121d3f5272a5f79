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

import java.util.List;
import java.util.UUID;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.exception.InvalidIdempotentException;

import static dev.idempotency.conformance.app.Responses.assertOriginal;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Transaction advisors that are configured in front of the claim.
 */
@Tag("postgresql")
class TransactionAdvisorTests {

	private final String label = UUID.randomUUID().toString();

	@ParameterizedTest
	@ValueSource(classes = { TransactionalHandler.class, LeasedHandler.class })
	@Tag("X26")
	void aTransactionAdvisorInFrontOfTheClaimIsRefusedAtStartUp(Class<?> handler) {
		assertThatThrownBy(() -> RunningApplication.start(List.of(handler, TransactionsFirst.class)))
			.hasStackTraceContaining(InvalidIdempotentException.class.getName())
			.hasStackTraceContaining("@EnableTransactionManagement")
			.hasStackTraceContaining(handler.getSimpleName());
	}

	@Test
	@Tag("X26")
	void aTransactionAdvisorInFrontOfOtherBeansIsNobodysBusiness() {
		try (RunningApplication other = RunningApplication
			.start(List.of(SurroundedHandlers.class, TransactionsFirst.class))) {
			assertOriginal(other.post(ALICE, "/protected", this.label, Labelled.json(this.label)), 200);
			assertThat(other.effects(this.label)).isEqualTo(1);
		}
	}

	@RestController
	static class TransactionalHandler {

		@Idempotent
		@Transactional
		@PostMapping("/transactional")
		public void pay() {
		}

	}

	@RestController
	static class LeasedHandler {

		@Idempotent(mode = Mode.LEASED)
		@Transactional
		@PostMapping("/leased")
		public void pay() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(order = 0)
	static class TransactionsFirst {

	}

}
