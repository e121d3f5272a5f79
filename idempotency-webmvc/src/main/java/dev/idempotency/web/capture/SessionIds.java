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
package dev.idempotency.web.capture;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import dev.idempotency.engine.codec.Answer.HeaderField;

/**
 * Removes session ids from addresses: a stored answer is replayed to any sender of the
 * request again, and the id would reveal the session of the first sender.
 */
final class SessionIds {

	private static final Set<String> ADDRESSES = Set.of("location", "content-location", "link", "refresh");

	private final Pattern parameter;

	/**
	 * Creates an instance.
	 * @param names the names of the path parameters that carry a session id
	 */
	SessionIds(Collection<String> names) {
		this.parameter = Pattern.compile(
				";(?:" + names.stream().map(Pattern::quote).collect(Collectors.joining("|")) + ")=[^/?#;,>\"\\s]*",
				Pattern.CASE_INSENSITIVE);
	}

	List<HeaderField> strip(List<HeaderField> fields) {
		return fields.stream().map(this::strip).toList();
	}

	private HeaderField strip(HeaderField field) {
		return ADDRESSES.contains(field.name().toLowerCase(Locale.ROOT))
				? new HeaderField(field.name(), this.parameter.matcher(field.value()).replaceAll(""), field.added())
				: field;
	}

}
