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

import dev.idempotency.store.Identity;

/**
 * The id of a request in addresses.
 */
final class RequestId {

	private static final int LENGTH = 64;

	private static final Pattern DIGITS = Pattern.compile("[0-9a-fA-F]{64}");

	/**
	 * Log lines have twelve digits.
	 */
	private static final Pattern BEGINNING = Pattern.compile("[0-9a-fA-F]{12,63}");

	private static final byte[] ANY_ACCOUNT = {};

	private RequestId() {
	}

	/**
	 * Reads an id.
	 * @return the identity, {@code null} if that is not an id
	 */
	static @Nullable Identity parse(String id) {
		return DIGITS.matcher(id).matches() ? new Identity(HexFormat.of().parseHex(id), ANY_ACCOUNT) : null;
	}

	/**
	 * Reads the beginning of an id, as log lines have it.
	 * @return the ids that begin so, {@code null} if that is no beginning
	 */
	static @Nullable Range range(String beginning) {
		if (!BEGINNING.matcher(beginning).matches()) {
			return null;
		}
		int missing = LENGTH - beginning.length();
		return new Range(HexFormat.of().parseHex(beginning + "0".repeat(missing)),
				HexFormat.of().parseHex(beginning + "f".repeat(missing)));
	}

	/**
	 * A range of ids.
	 *
	 * @param first the least digest
	 * @param last the greatest digest
	 */
	record Range(byte[] first, byte[] last) {
	}

}
