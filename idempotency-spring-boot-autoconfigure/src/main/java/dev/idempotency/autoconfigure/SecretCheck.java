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

import java.security.MessageDigest;
import java.time.Clock;
import java.time.temporal.ChronoUnit;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import dev.idempotency.engine.StartupCheck;
import dev.idempotency.engine.identity.DigestKeys;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.store.NamespaceStore;

/**
 * Stops the application when identities in the database were made with another secret:
 * each retry of an earlier request would be a new request. It runs before the first
 * request is served, and after the tables were created.
 *
 * @param store holds a digest with the secret of earlier starts
 * @param secret the secret of this start
 * @param namespace the namespace of the application
 * @param clock the clock of this node
 */
record SecretCheck(NamespaceStore store, SecretProperties secret, String namespace,
		Clock clock) implements StartupCheck {

	private static final Log logger = LogFactory.getLog(SecretCheck.class);

	@Override
	public void check() {
		byte[] check = this.secret.toKeys().check(this.namespace);
		byte[] stored = this.store.register(check);
		if (MessageDigest.isEqual(stored, check)) {
			return;
		}
		if (!this.secret.acceptsChange(this.clock.instant())) {
			throw refusal(MessageDigest.isEqual(stored, DigestKeys.none().check(this.namespace)));
		}
		this.store.replace(check);
		LogEvent.SECRET_CHANGED.log(logger, "The secret of identities in the namespace '" + this.namespace
				+ "' has changed: retries of earlier requests run again");
	}

	private InvalidIdempotentException refusal(boolean unkeyed) {
		return new InvalidIdempotentException(
				"The database has identities of the namespace '" + this.namespace + "' that were made "
						+ (unkeyed ? "without a secret"
								: "with a secret other than " + ((this.secret.identity() != null)
										? "idempotency.secret.identity" : "none, which is configured"))
						+ ": retries of earlier requests would not be recognised, and would run again.",
				(unkeyed ? "Remove idempotency.secret.identity"
						: "Set idempotency.secret.identity to the secret of the earlier requests")
						+ ". If none of them can be retried any longer, stop all nodes, and start them with "
						+ "idempotency.secret.accept-change-until="
						+ this.clock.instant().plus(1, ChronoUnit.HOURS).truncatedTo(ChronoUnit.HOURS)
						+ ", or another time within the next 24 hours.");
	}

}
