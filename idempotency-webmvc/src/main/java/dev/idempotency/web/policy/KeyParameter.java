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
package dev.idempotency.web.policy;

import java.util.regex.Pattern;

import io.swagger.v3.oas.models.media.StringSchema;
import io.swagger.v3.oas.models.parameters.HeaderParameter;
import io.swagger.v3.oas.models.parameters.Parameter;
import org.jspecify.annotations.Nullable;

import dev.idempotency.HeaderSyntax;
import dev.idempotency.web.policy.OperationPolicy.Key;
import dev.idempotency.web.policy.OperationPolicy.KeySource;

/**
 * The request header that carries the key. Its schema is that of the field value: with
 * {@link HeaderSyntax#STRICT} the quotes count.
 */
final class KeyParameter {

	/**
	 * The example of draft-ietf-httpapi-idempotency-key-header-07 section 2.1.
	 */
	private static final String EXAMPLE = "8e03978e-40d5-43dd-bc93-6894a57f9324";

	private KeyParameter() {
	}

	static boolean isFor(Key key) {
		return key.source() == KeySource.HEADER || key.source() == KeySource.HEADER_OR_FORM;
	}

	static Parameter of(Key key) {
		boolean quoted = key.syntax() == HeaderSyntax.STRICT;
		int quotes = quoted ? 2 : 0;
		StringSchema schema = new StringSchema();
		schema.minLength(key.minLength() + quotes).maxLength(key.maxLength() + quotes).pattern(pattern(key, quoted));
		Parameter parameter = new HeaderParameter().name(key.header()).schema(schema);
		return isValid(key) ? parameter.example(quoted ? '"' + EXAMPLE + '"' : EXAMPLE) : parameter;
	}

	/**
	 * JSON Schema does not anchor patterns.
	 */
	private static @Nullable String pattern(Key key, boolean quoted) {
		Pattern pattern = key.pattern();
		if (pattern == null) {
			return quoted ? "^\".*\"$" : null;
		}
		return quoted ? "^\"(?:" + pattern.pattern() + ")\"$" : "^(?:" + pattern.pattern() + ")$";
	}

	private static boolean isValid(Key key) {
		Pattern pattern = key.pattern();
		return EXAMPLE.length() >= key.minLength() && EXAMPLE.length() <= key.maxLength()
				&& (pattern == null || pattern.matcher(EXAMPLE).matches());
	}

}
