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
package dev.idempotency.autoconfigure.web;

import java.util.List;

import org.springframework.boot.context.properties.bind.DefaultValue;

import dev.idempotency.web.capture.SensitiveNames;

import static dev.idempotency.autoconfigure.PropertyRules.TOKEN;
import static dev.idempotency.autoconfigure.PropertyRules.require;

/**
 * Settings of the fingerprint, which distinguishes requests with the same key.
 *
 * @param includeHeaders Names of request headers that distinguish two requests with the
 * same key.
 * @param excludePointers JSON pointers (RFC 6901) of values in a body that are left out
 * of the comparison of two requests with the same key.
 */
record FingerprintProperties(@DefaultValue List<String> includeHeaders, @DefaultValue List<String> excludePointers) {

	static final FingerprintProperties DEFAULTS = new FingerprintProperties(List.of(), List.of());

	public FingerprintProperties {
		includeHeaders.forEach((name) -> require(TOKEN.matcher(name).matches(), "fingerprint.include-headers", name,
				"Write header names such as X-Api-Version."));
		includeHeaders.forEach((name) -> require(!SensitiveNames.isCredential(name), "fingerprint.include-headers",
				name, "Remove it: a renewed credential would make a retry another request."));
		includeHeaders.forEach((name) -> require(!SensitiveNames.isTrace(name), "fingerprint.include-headers", name,
				"Remove it: a retry has a different trace."));
	}

}
