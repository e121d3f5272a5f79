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

import java.util.Set;

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
	 * Exceptions that may not recur at the next attempt, regardless of the application's
	 * status for them: rejections, conflicts with concurrent transactions, and all that
	 * Spring considers transient. By name, because not every application has their
	 * classes. Validation is included for beans that Spring validates with an
	 * interceptor, after the claim.
	 */
	private static final Set<String> NOT_FINAL = Set.of("org.springframework.security.access.AccessDeniedException",
			"org.springframework.security.core.AuthenticationException",
			"jakarta.validation.ConstraintViolationException",
			"org.springframework.validation.method.MethodValidationException",
			"org.springframework.dao.TransientDataAccessException", "jakarta.persistence.OptimisticLockException",
			"jakarta.persistence.PessimisticLockException", "jakarta.persistence.LockTimeoutException");

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
		if ((outcome.invitesRetry() && !serverError) || CORRECTABLE.contains(status)) {
			return false;
		}
		Throwable exception = outcome.exception();
		for (Class<?> type = (exception != null) ? exception.getClass() : null; type != null; type = type
			.getSuperclass()) {
			if (NOT_FINAL.contains(type.getName())) {
				return false;
			}
		}
		return status >= 200 && (!serverError || this.storeServerErrors);
	}

}
