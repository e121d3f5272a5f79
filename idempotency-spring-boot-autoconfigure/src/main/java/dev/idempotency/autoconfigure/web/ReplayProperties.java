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

import static dev.idempotency.autoconfigure.PropertyRules.TOKEN;
import static dev.idempotency.autoconfigure.PropertyRules.require;

/**
 * Settings of replayed answers.
 *
 * @param marker Name of the response header that marks a replay, empty for none.
 * @param deniedHeaders Names of response headers that are not stored, in addition to the
 * fixed ones.
 * @param allowedHeaders Names of the only response headers that are stored. Empty to
 * store all that are not denied.
 */
record ReplayProperties(@DefaultValue("Idempotent-Replayed") String marker, @DefaultValue List<String> deniedHeaders,
		@DefaultValue List<String> allowedHeaders) {

	static final ReplayProperties DEFAULTS = new ReplayProperties("Idempotent-Replayed", List.of(), List.of());

	public ReplayProperties {
		require(marker.isEmpty() || TOKEN.matcher(marker).matches(), "replay.marker", marker,
				"Write a header name such as Idempotent-Replayed, or nothing for no marker.");
	}

}
