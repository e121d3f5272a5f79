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

package dev.idempotency.conformance.fuzz;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import dev.idempotency.conformance.app.Wire;

/**
 * The requests of a case under one key, which is also the label of its rows.
 *
 * @param server the server
 * @param fuzz the case
 * @param protection the protection, which is none for the twin
 * @param key the key
 */
record CaseRequest(FuzzServer server, FuzzCase fuzz, Protection protection, String key) {

	private static final String UUIDS = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";

	private static final String TIMES = "\"timestamp\":\"[^\"]*\"";

	HttpResponse<byte[]> send() {
		return this.server.send(request(0));
	}

	/**
	 * Sends another body.
	 */
	HttpResponse<byte[]> sendChanged() {
		return this.server.send(request(1));
	}

	/**
	 * Sends the same to the other handler on the same path.
	 */
	HttpResponse<byte[]> sendToTheOther() {
		HttpRequest.Builder request = request(0);
		if (this.fuzz.shape() == Shape.PICKED_BY_PRODUCES) {
			request.setHeader("Accept", "application/vnd.refund+json");
		}
		else {
			request.setHeader("X-Operation", "refund");
		}
		return this.server.send(request);
	}

	private HttpRequest.Builder request(int amount) {
		String path = "/" + this.protection.segment() + "/" + this.fuzz.placement().segment() + "/"
				+ this.fuzz.shape().segment();
		HttpRequest.Builder request = this.server.request(path + "?label=" + this.key + "&" + this.fuzz.toQuery())
			.header("Content-Type", this.fuzz.content().mediaType())
			.header("Idempotency-Key", this.key)
			.POST(this.fuzz.content().body(amount));
		if (this.fuzz.shape() == Shape.PICKED_BY_PRODUCES) {
			request.header("Accept", "application/json");
		}
		return request;
	}

	/**
	 * A response without what differs between a request and its twin.
	 */
	static Wire comparable(HttpResponse<byte[]> response) {
		Wire wire = Wire.of(response);
		Map<String, List<String>> headers = new TreeMap<>(wire.headers());
		headers.replaceAll((name, values) -> values.stream().map(CaseRequest::comparable).toList());
		return new Wire(wire.status(), headers, comparable(wire.body()));
	}

	private static String comparable(String text) {
		return text.replaceAll(UUIDS, "#")
			.replaceAll(TIMES, "\"timestamp\":\"#\"")
			.replaceAll("/(unprotected|transactional|leased|phases)/", "/#/")
			.replaceAll("http://127\\.0\\.0\\.1:\\d+", "");
	}

	/**
	 * A response as it has to be the next time, byte for byte.
	 */
	static Wire exact(HttpResponse<byte[]> response) {
		Wire wire = Wire.of(response);
		Map<String, List<String>> headers = new TreeMap<>(wire.headers());
		// The container makes a Location absolute on the first exchange.
		headers.computeIfPresent("location",
				(name, values) -> values.stream().map((value) -> response.uri().resolve(value).toString()).toList());
		return new Wire(wire.status(), headers, wire.body());
	}

	static String text(HttpResponse<byte[]> response) {
		return new String(response.body(), StandardCharsets.UTF_8);
	}

	static String describe(HttpResponse<byte[]> response) {
		return response.statusCode() + " " + response.headers().map() + " " + text(response);
	}

}
