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
package dev.idempotency.conformance.app;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A client's view of a response, without the headers that are specific to an exchange.
 *
 * @param status the status
 * @param headers the header lines by lower-case name, in their order
 * @param body the body, one character for each byte
 */
public record Wire(int status, Map<String, List<String>> headers, String body) {

	private static final Set<String> OF_THE_EXCHANGE = Set.of("date", "content-length", "transfer-encoding",
			"connection", "keep-alive", "idempotent-replayed");

	public static Wire of(HttpResponse<byte[]> response) {
		Map<String, List<String>> headers = new TreeMap<>();
		response.headers().map().forEach((name, values) -> {
			if (!OF_THE_EXCHANGE.contains(name.toLowerCase())) {
				headers.put(name.toLowerCase(), List.copyOf(values));
			}
		});
		return new Wire(response.statusCode(), headers, new String(response.body(), StandardCharsets.ISO_8859_1));
	}

}
