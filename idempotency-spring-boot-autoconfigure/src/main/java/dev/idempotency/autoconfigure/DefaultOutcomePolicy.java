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

import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.idempotency.OutcomePolicy;
import dev.idempotency.OutcomePolicy.Outcome;

/**
 * The default policy. Errors that the client may correct or the server may recover from
 * are not final, nor are rejections by authorisation or validation: the same request may
 * succeed later, or a corrected one with the same key.
 */
final class DefaultOutcomePolicy implements OutcomePolicy {

	/**
	 * Not Acceptable, Precondition Failed, Range Not Satisfiable, Expectation Failed,
	 * Precondition Required: answers to header fields that requests are not compared by,
	 * so that a corrected request has the same key.
	 */
	private static final Set<Integer> CORRECTABLE = Set.of(406, 412, 416, 417, 428);

	/**
	 * Exception classes by name, because not every application has them. Validation is
	 * included for beans that Spring validates with an interceptor, after the claim.
	 */
	private static final Set<String> REFUSALS = Set.of("org.springframework.security.access.AccessDeniedException",
			"org.springframework.security.core.AuthenticationException",
			"jakarta.validation.ConstraintViolationException",
			"org.springframework.validation.method.MethodValidationException");

	/**
	 * Conflicts with concurrent transactions, and other failures that may not recur at
	 * the next attempt, regardless of the application's status for them. The first
	 * includes all that Spring considers transient.
	 */
	private static final Set<String> TRANSIENT_FAILURES = Set.of("org.springframework.dao.TransientDataAccessException",
			"jakarta.persistence.OptimisticLockException", "jakarta.persistence.PessimisticLockException",
			"jakarta.persistence.LockTimeoutException");

	private final boolean storeServerErrors;

	/**
	 * Creates the policy.
	 * @param storeServerErrors whether 5xx are final
	 */
	DefaultOutcomePolicy(boolean storeServerErrors) {
		this.storeServerErrors = storeServerErrors;
	}

	@Override
	public boolean isFinal(Outcome outcome) {
		int status = outcome.status();
		boolean serverError = status >= 500;
		if ((outcome.invitesRetry() && !serverError) || CORRECTABLE.contains(status)
				|| isOneOf(REFUSALS, outcome.exception()) || isOneOf(TRANSIENT_FAILURES, outcome.exception())) {
			return false;
		}
		return status >= 200 && (!serverError || this.storeServerErrors);
	}

	private static boolean isOneOf(Set<String> types, @Nullable Throwable exception) {
		return exception != null
				&& Stream.<Class<?>>iterate(exception.getClass(), Objects::nonNull, Class::getSuperclass)
					.anyMatch((type) -> types.contains(type.getName()));
	}

}
