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
package dev.idempotency.history;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import dev.idempotency.history.Order.Operation;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * An operator who resolves requests by the actuator of a node, as the runbook says.
 */
final class Operator {

	private static final JsonMapper JSON = new JsonMapper();

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	/** The operator has to know what a retry has done, however long it takes. */
	private static final Duration RETRY_TIMEOUT = Duration.ofMinutes(10);

	private final HttpClient http = HttpClient.newHttpClient();

	private final History history;

	private final JdbcClient jdbc;

	private final Evidence evidence;

	private final Set<String> retried = ConcurrentHashMap.newKeySet();

	Operator(History history, JdbcClient jdbc, Evidence evidence) {
		this.history = history;
		this.jdbc = jdbc;
		this.evidence = evidence;
	}

	/**
	 * A request as the operator has seen it.
	 *
	 * @param key its key
	 * @param id its id
	 * @param state its state, such as {@code running}
	 * @param effects whether it has effects that no step records
	 * @param version the version that a decision is based on
	 */
	record Seen(String key, String id, String state, boolean effects, String version) {

		/**
		 * Returns whether nobody executes it, so that an operator may decide.
		 */
		boolean isOpen() {
			return this.state.equals("stuck") || this.state.equals("waiting");
		}

	}

	/**
	 * Looks requests up, all at once.
	 * @return those without an answer that the node has told about
	 */
	List<Seen> look(Node node, Collection<String> keys) {
		return keys.stream()
			.map((key) -> post(node, "/actuator/idempotencylookup", Map.of("account", Clients.USER, "key", key),
					TIMEOUT)
				.thenApply((found) -> read(key, found)))
			.toList()
			.stream()
			.map(CompletableFuture::join)
			.flatMap(Optional::stream)
			.toList();
	}

	private static Optional<Seen> read(String key, JsonNode found) {
		return found.hasNonNull("version") ? Optional.of(new Seen(key, found.get("id").asString(),
				found.get("state").asString(), found.path("effects").asBoolean(), found.get("version").asString()))
				: Optional.empty();
	}

	/**
	 * Refuses a request without effects, a while after it was looked up. The version
	 * makes sure that nothing has happened in between.
	 */
	void abandon(Node node, Seen seen) {
		Map<String, String> answer = Map.of("version", seen.version(), "status", "410", "contentType",
				"application/json", "body", "{\"gone\":true}");
		JsonNode done = post(node, "/actuator/idempotency/" + seen.id() + "/abandon", answer, TIMEOUT).join();
		this.history.note(seen.key(), "operator abandons " + seen + ": " + done);
	}

	/**
	 * Returns whether a node answers, and its database answers it.
	 */
	boolean isAnsweredBy(Node node) {
		HttpRequest request = HttpRequest.newBuilder(node.uri().resolve("/actuator/idempotency"))
			.timeout(TIMEOUT)
			.header("Authorization", Clients.CREDENTIALS)
			.build();
		return this.http.sendAsync(request, BodyHandlers.discarding())
			.handle((response, failure) -> failure == null && response.statusCode() == 200)
			.join();
	}

	/**
	 * Resolves a request that its clients cannot continue. A row that its owner has
	 * committed before it died is taken back, once nobody else can continue it.
	 */
	void resolve(Node node, Seen seen) {
		String key = seen.key();
		boolean ride = Operation.of(key) == Operation.RIDE;
		if (!seen.effects() && !ride && !this.retried.add(key)) {
			abandon(node, seen);
			return;
		}
		List<String> rows = new ArrayList<>(
				this.jdbc.sql("select id from effect where order_key = ? and part = ? and ?")
					.params(key, Effect.DONE, seen.effects())
					.query(String.class)
					.list());
		int forgotten = this.evidence.forgottenEffects(seen.id());
		JsonNode answer = post(node, "/actuator/idempotency/" + seen.id() + "/retry", Map.of("version", seen.version()),
				RETRY_TIMEOUT)
			.join();
		this.history.note(key, "operator retries " + seen + ": " + answer);
		// Only a retry forgets effects, also one whose answer was lost.
		if (this.evidence.forgottenEffects(seen.id()) > forgotten) {
			rows.forEach((id) -> {
				this.jdbc.sql("delete from effect where id = cast(? as uuid)").param(id).update();
				this.history.note(key, "operator takes " + id + " back");
			});
		}
	}

	private CompletableFuture<JsonNode> post(Node node, String path, Map<String, String> body, Duration timeout) {
		HttpRequest request = HttpRequest.newBuilder(node.uri().resolve(path))
			.timeout(timeout)
			.header("Authorization", Clients.CREDENTIALS)
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString(JSON.writeValueAsString(body)))
			.build();
		return this.http.sendAsync(request, BodyHandlers.ofString())
			.thenApply((response) -> JSON.readTree(response.body()))
			.exceptionally((failure) -> JSON.createObjectNode().put("failure", String.valueOf(failure)));
	}

}
