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
package dev.idempotency.conformance.faults;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;

import dev.idempotency.conformance.app.Labelled;

import static dev.idempotency.conformance.app.RunningApplication.ALICE;

/**
 * Delivers requests to nodes. The key is the label of the effect.
 */
final class Client {

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private final HttpClient http = HttpClient.newHttpClient();

	/**
	 * Delivers a request without waiting. A response that does not come is an exception.
	 */
	CompletableFuture<HttpResponse<byte[]>> send(URI node, String path, String key) {
		return this.http.sendAsync(request(node, path, key).timeout(TIMEOUT).build(), BodyHandlers.ofByteArray());
	}

	/**
	 * Delivers a request that stops, without waiting.
	 */
	CompletableFuture<HttpResponse<byte[]>> sendStopping(URI node, String path, String key, String point) {
		return this.http.sendAsync(request(node, path, key).header(Stops.HEADER, point).build(),
				BodyHandlers.ofByteArray());
	}

	CompletableFuture<HttpResponse<byte[]>> sendStopping(URI node, String path, String key, StopPoint point) {
		return sendStopping(node, path, key, point.name());
	}

	private static HttpRequest.Builder request(URI node, String path, String key) {
		String credentials = Base64.getEncoder().encodeToString((ALICE + ":" + ALICE).getBytes());
		return HttpRequest.newBuilder(node.resolve(path))
			.header("Authorization", "Basic " + credentials)
			.header("Content-Type", "application/json")
			.header("Idempotency-Key", key)
			.POST(BodyPublishers.ofString(Labelled.json(key)));
	}

}
