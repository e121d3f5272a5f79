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
package dev.idempotency.web.problem;

import io.micrometer.common.KeyValue;
import jakarta.servlet.http.HttpServletRequest;

import org.springframework.web.filter.ServerHttpObservationFilter;

/**
 * The library's answer in the observation of a request, so that a trace distinguishes a
 * replay from an execution. It is a high-cardinality value although it has few values:
 * such values are added to spans and not to meters, whose tags have to be the same for
 * all requests.
 */
public final class ObservedOutcome {

	private static final String KEY = "idempotency.outcome";

	public static final String REPLAYED = "replayed";

	private ObservedOutcome() {
	}

	public static void mark(HttpServletRequest request, String outcome) {
		ServerHttpObservationFilter.findObservationContext(request)
			.ifPresent((context) -> context.addHighCardinalityKeyValue(KeyValue.of(KEY, outcome)));
	}

}
