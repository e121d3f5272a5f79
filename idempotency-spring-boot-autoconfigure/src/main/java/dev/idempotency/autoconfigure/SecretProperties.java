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

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;

import dev.idempotency.engine.identity.DigestKeys;
import dev.idempotency.exception.InvalidIdempotentException;

import static dev.idempotency.autoconfigure.PropertyRules.decodeBase64;
import static dev.idempotency.autoconfigure.PropertyRules.require;

/**
 * Settings of the secrets of the digests in the table.
 *
 * @param identity Secret that identities and fingerprints are keyed with: at least 32
 * random bytes in Base64. It must not change while retries of earlier requests may
 * arrive.
 * @param fingerprint Secret that fingerprints are keyed with, instead of the secret of
 * identities: at least 32 random bytes in Base64.
 * @param earlierFingerprints Earlier secrets of fingerprints, which verify the
 * fingerprints of stored requests until these have expired.
 * @param acceptChangeUntil End of a change of the secret of identities, such as
 * 2026-12-31T12:00:00Z: until then the application starts with another secret, and
 * retries of earlier requests run again. At most 24 hours ahead.
 */
record SecretProperties(@Nullable String identity, @Nullable String fingerprint,
		@DefaultValue List<String> earlierFingerprints, @Nullable Instant acceptChangeUntil) {

	static final SecretProperties DEFAULTS = new SecretProperties(null, null, List.of(), null);

	private static final int LEAST_LENGTH = 32;

	private static final Duration LONGEST_CHANGE = Duration.ofHours(24);

	private static final String ACTION = "Write at least 32 random bytes in Base64, as from 'openssl rand -base64 32'.";

	public SecretProperties {
		if (identity == null && (fingerprint != null || !earlierFingerprints.isEmpty())) {
			throw new InvalidIdempotentException(
					"The property idempotency.secret.fingerprint is set, and idempotency.secret.identity is not.",
					"Set idempotency.secret.identity, which fingerprints depend on. " + ACTION);
		}
		if (fingerprint == null && !earlierFingerprints.isEmpty()) {
			throw new InvalidIdempotentException(
					"The property idempotency.secret.earlier-fingerprints is set, and "
							+ "idempotency.secret.fingerprint is not.",
					"Set idempotency.secret.fingerprint. " + ACTION);
		}
	}

	DigestKeys toKeys() {
		if (this.identity == null) {
			return DigestKeys.none();
		}
		List<byte[]> fingerprints = new ArrayList<>();
		if (this.fingerprint != null) {
			fingerprints.add(decode(this.fingerprint, "fingerprint"));
		}
		this.earlierFingerprints.forEach((secret) -> fingerprints.add(decode(secret, "earlier-fingerprints")));
		return DigestKeys.of(decode(this.identity, "identity"), fingerprints);
	}

	boolean acceptsChange(Instant now) {
		if (this.acceptChangeUntil == null || !now.isBefore(this.acceptChangeUntil)) {
			return false;
		}
		require(!this.acceptChangeUntil.isAfter(now.plus(LONGEST_CHANGE)), "secret.accept-change-until",
				this.acceptChangeUntil, "Write a time within the next 24 hours.");
		return true;
	}

	private static byte[] decode(String secret, String property) {
		byte[] bytes = decodeBase64(secret);
		if (bytes.length < LEAST_LENGTH) {
			throw new InvalidIdempotentException(
					"The property idempotency.secret." + property + " is not a secret of 32 bytes or more.", ACTION);
		}
		return bytes;
	}

	/**
	 * Hides the secrets, which a record would show.
	 */
	@Override
	public String toString() {
		return "SecretProperties[" + ((this.identity != null) ? "configured" : "none") + "]";
	}

}
