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

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

import static dev.idempotency.autoconfigure.PropertyRules.require;
import static dev.idempotency.autoconfigure.PropertyRules.requireSize;

/**
 * Sizes.
 *
 * @param maxRequestBody Largest request body of a protected operation; larger ones get a
 * 413. Multipart bodies have the container's limit.
 * @param maxResponseBody Largest response body that is stored; of larger ones only the
 * first caller gets the body.
 * @param maxFormFields Largest number of fields of a protected form, those of the query
 * included. Defaults to the limit of the embedded Tomcat, and to 1000 in other servers.
 */
record LimitsProperties(@DefaultValue("1MB") DataSize maxRequestBody, @DefaultValue("1MB") DataSize maxResponseBody,
		@Nullable Integer maxFormFields) {

	public LimitsProperties {
		requireSize(maxRequestBody, "limits.max-request-body", "1MB");
		requireSize(maxResponseBody, "limits.max-response-body", "1MB");
		require(maxFormFields == null || maxFormFields > 0, "limits.max-form-fields", maxFormFields,
				"Write a number from 1, or nothing for the limit of the web server.");
	}

}
