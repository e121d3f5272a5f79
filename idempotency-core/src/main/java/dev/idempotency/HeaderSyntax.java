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

package dev.idempotency;

/**
 * Accepted spellings of the idempotency key in the header.
 */
public enum HeaderSyntax {

	/**
	 * An RFC 9651 string ({@code "k"}) or the bare value ({@code k}). Both spellings of
	 * one value are one key.
	 */
	LENIENT,

	/**
	 * An RFC 9651 string only, as specified in section 2.1 of
	 * draft-ietf-httpapi-idempotency-key-header.
	 */
	STRICT;

	/**
	 * Writes a key as the value of its header.
	 * @param key the key
	 * @return the bare value if that is accepted, or else an RFC 9651 string
	 */
	public String format(String key) {
		return switch (this) {
			case LENIENT -> key;
			case STRICT -> '"' + key.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
		};
	}

}
