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

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.core.env.Environment;

import dev.idempotency.account.AnonymousAccess;
import dev.idempotency.autoconfigure.guard.StartupReport;
import dev.idempotency.engine.OperationFactory;
import dev.idempotency.logging.LogEvent;

/**
 * Logs once that an application with protected operations has no namespace or no secret,
 * or that its callers share one account.
 *
 * @param properties the properties of the application
 * @param operations its annotated operations
 * @param oneAccount whether nothing distinguishes its callers
 * @param environment its environment
 */
record ProtectionNotices(IdempotencyProperties properties, OperationFactory operations, boolean oneAccount,
		Environment environment) implements StartupReport {

	private static final Log logger = LogFactory.getLog(ProtectionNotices.class);

	@Override
	public void report() {
		if (this.oneAccount) {
			LogEvent.CALLERS_SHARED.log(logger,
					"All callers are one account: without Spring Security and without an AccountResolver bean, "
							+ "a caller who knows another caller's idempotency key gets its stored response.");
		}
		if (this.operations.all().isEmpty()) {
			return;
		}
		if (this.properties.givenNamespace(this.environment) == null) {
			LogEvent.NAMESPACE_MISSING.log(logger,
					"Keys are in the namespace 'application', because neither idempotency.namespace nor "
							+ "spring.application.name is set: another application without a name on this database "
							+ "replays the responses of this one. Set idempotency.namespace");
		}
		if (this.properties.secret().identity() == null) {
			LogEvent.SECRET_MISSING.log(logger,
					"Identities and fingerprints of requests are stored as digests without a secret: a reader of "
							+ "the table can guess the content of requests. Set idempotency.secret.identity");
		}
		if (this.properties.anonymous() == AnonymousAccess.SHARE) {
			LogEvent.ANONYMOUS_SHARED.log(logger,
					"Anonymous callers share one account (idempotency.anonymous=share): a caller who guesses the key of "
							+ "another gets the stored response. Their keys have at least "
							+ this.properties.key().minLengthAnonymous()
							+ " characters (idempotency.key.min-length-anonymous). They also share the limits of one account: "
							+ "a single caller can use up idempotency.limits.max-open-requests for all");
		}
	}

}
