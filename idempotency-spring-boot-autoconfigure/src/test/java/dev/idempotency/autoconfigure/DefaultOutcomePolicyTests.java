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
package dev.idempotency.autoconfigure;

import jakarta.persistence.OptimisticLockException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authorization.AuthorizationDeniedException;

import dev.idempotency.OutcomePolicy.Outcome;

import static org.assertj.core.api.Assertions.assertThat;

class DefaultOutcomePolicyTests {

	private final DefaultOutcomePolicy policy = new DefaultOutcomePolicy(false);

	private final DefaultOutcomePolicy storing = new DefaultOutcomePolicy(true);

	@Tag("X3")
	@ParameterizedTest
	@ValueSource(ints = { 200, 201, 204, 302, 400, 402, 403, 404, 409, 422 })
	void theseAreFinal(int status) {
		assertThat(this.policy.isFinal(new Outcome(status, null))).isTrue();
		assertThat(this.policy.isFinal(new Outcome(status, new IllegalStateException()))).isTrue();
	}

	@Tag("X2")
	@ParameterizedTest
	@ValueSource(ints = { 100, 406, 408, 412, 416, 417, 425, 428, 429 })
	void theseNeverAre(int status) {
		assertThat(this.policy.isFinal(new Outcome(status, null))).isFalse();
		assertThat(this.storing.isFinal(new Outcome(status, null))).isFalse();
	}

	@Tag("X2")
	@ParameterizedTest
	@ValueSource(ints = { 500, 502, 503, 504, 599 })
	void serverErrorsAreOnlyWhereTheyAreConfiguredToBe(int status) {
		assertThat(this.policy.isFinal(new Outcome(status, null))).isFalse();
		assertThat(this.storing.isFinal(new Outcome(status, null))).isTrue();
	}

	@Test
	@Tag("X2")
	void aConflictThatMayBeGoneAtTheNextAttemptIsNotWhateverItsStatusIs() {
		for (Exception conflict : new Exception[] { new OptimisticLockingFailureException(""),
				new CannotAcquireLockException(""), new OptimisticLockException() }) {
			assertThat(this.policy.isFinal(new Outcome(409, conflict))).isFalse();
		}
		assertThat(this.policy.isFinal(new Outcome(409, new DataIntegrityViolationException("")))).isTrue();
	}

	@Test
	@Tag("X5")
	void whatSecurityRefusedIsNot() {
		for (Exception refusal : new Exception[] { new AccessDeniedException(""), new AuthorizationDeniedException(""),
				new BadCredentialsException("") }) {
			assertThat(this.storing.isFinal(new Outcome(403, refusal))).isFalse();
		}
	}

}
