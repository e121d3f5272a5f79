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
package dev.idempotency.test;

import java.util.Locale;

import org.springframework.core.env.Environment;

/**
 * The place of the key in a request, and the header that marks its replay.
 *
 * @param header the header with the key
 * @param quoted whether it is an RFC 9651 string
 * @param parameter the form field with the key
 * @param marker the header that marks a replay
 */
record KeyField(String header, boolean quoted, String parameter, String marker) {

	static KeyField of(Environment environment) {
		String syntax = environment.getProperty("idempotency.header-syntax", "lenient");
		return new KeyField(environment.getProperty("idempotency.header", "Idempotency-Key"),
				syntax.toLowerCase(Locale.ROOT).equals("strict"), environment.getProperty("idempotency.form-field", ""),
				environment.getProperty("idempotency.replay.marker", "Idempotent-Replayed"));
	}

	/**
	 * The key as the value of the header.
	 */
	String format(String key) {
		return this.quoted ? '"' + key.replace("\\", "\\\\").replace("\"", "\\\"") + '"' : key;
	}

}
