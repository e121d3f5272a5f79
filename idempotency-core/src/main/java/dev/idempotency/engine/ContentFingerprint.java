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
package dev.idempotency.engine;

import java.security.MessageDigest;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import dev.idempotency.IdempotencyRequest;
import dev.idempotency.engine.codec.CanonicalJson;
import dev.idempotency.engine.identity.DigestKeys;

/**
 * Hashes what a piece of work depends on, as JSON in an order that is the same in every
 * JVM.
 */
final class ContentFingerprint {

	private final JsonMapper mapper;

	public ContentFingerprint(JsonMapper mapper) {
		this.mapper = CanonicalJson.mapper(mapper);
	}

	/**
	 * The operation is part of the fingerprint: in scope account the same key for another
	 * operation is another request.
	 */
	public byte[] of(IdempotencyRequest request) {
		try {
			MessageDigest digest = DigestKeys.sha256();
			digest.update(this.mapper.writeValueAsBytes(request.operation()));
			if (request.content() != null) {
				digest.update(this.mapper.writeValueAsBytes(request.content()));
			}
			return digest.digest();
		}
		catch (JacksonException ex) {
			throw new IllegalArgumentException(
					"The arguments of " + request.operation() + " cannot be written as JSON, which identifies a retry: "
							+ ex.getOriginalMessage() + ". Pass values, and let the bean look up the rest.",
					ex);
		}
	}

}
