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
import java.util.Map;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The actuator of a running application, as an operator uses it.
 */
public record Actuator(RunningApplication application) {

	/**
	 * Returns the result of a GET, which has to succeed.
	 */
	public JsonNode get(String path) {
		return ok(send(path));
	}

	public HttpResponse<byte[]> send(String path) {
		return this.application.send(this.application.request(RunningApplication.ALICE, "/actuator/" + path).GET());
	}

	/**
	 * Returns the result of a POST, which has to succeed.
	 */
	public JsonNode post(String path, Map<String, ?> body) {
		return ok(send(path, body));
	}

	public HttpResponse<byte[]> send(String path, Map<String, ?> body) {
		return this.application.send(this.application.json(RunningApplication.ALICE, "/actuator/" + path,
				JsonMapper.shared().writeValueAsString(body)));
	}

	/**
	 * Finds the request of a key of Alice's.
	 */
	public JsonNode lookUp(String key) {
		return post("idempotencylookup", Map.of("account", RunningApplication.ALICE, "key", key));
	}

	public static JsonNode json(HttpResponse<byte[]> response) {
		return JsonMapper.shared().readTree(response.body());
	}

	private static JsonNode ok(HttpResponse<byte[]> response) {
		assertThat(response.statusCode()).as(Exchanges.text(response)).isEqualTo(200);
		return json(response);
	}

	/**
	 * The text of a member, or nothing.
	 */
	public static String text(JsonNode node, String member) {
		return node.path(member).asString("");
	}

}
