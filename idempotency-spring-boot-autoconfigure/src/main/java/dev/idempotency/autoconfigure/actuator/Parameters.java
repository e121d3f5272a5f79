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
package dev.idempotency.autoconfigure.actuator;

import java.util.HexFormat;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

import dev.idempotency.store.Identity;

/**
 * Reads parameters of operators' calls. An invalid one is answered with 400.
 */
final class Parameters {

	static final int DEFAULT_LIMIT = 100;

	static final int MAX_LIMIT = 1000;

	private static final Pattern ID = Pattern.compile("[0-9a-fA-F]{64}");

	private static final byte[] ANY_ACCOUNT = {};

	private Parameters() {
	}

	static int limit(@Nullable Integer limit) {
		if (limit == null) {
			return DEFAULT_LIMIT;
		}
		if (limit < 1 || limit > MAX_LIMIT) {
			throw invalid(new IllegalArgumentException("The limit must be a number from 1 to " + MAX_LIMIT));
		}
		return limit;
	}

	/**
	 * Reads the id of a request.
	 * @return the identity, {@code null} if that is not an id
	 */
	static @Nullable Identity id(String id) {
		return ID.matcher(id).matches() ? new Identity(HexFormat.of().parseHex(id), ANY_ACCOUNT) : null;
	}

	static InvalidEndpointRequestException invalid(IllegalArgumentException cause) {
		String reason = String.valueOf(cause.getMessage());
		return new InvalidEndpointRequestException(reason, reason, cause);
	}

}
