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
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.function.Supplier;

import dev.idempotency.conformance.app.PortableJdbc;
import dev.idempotency.testsupport.TestDatabase;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static dev.idempotency.conformance.app.Exchanges.isReplay;
import static dev.idempotency.conformance.app.Exchanges.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Clients that deliver new requests and repeat earlier ones, in any order and at the same
 * time, to any node, until they are told to stop.
 */
final class Load {

	private static final int CLIENTS = 6;

	/**
	 * Greatest number of requests sent in advance of the successful ones.
	 */
	private static final int AHEAD = 100;

	private final History history = new History();

	private final List<String> keys = new CopyOnWriteArrayList<>();

	private final AtomicInteger sequence = new AtomicInteger();

	private final Client client = new Client();

	private final List<Supplier<URI>> nodes;

	private final List<CompletableFuture<Void>> threads = new ArrayList<>();

	private final Map<Integer, Integer> statuses = new ConcurrentHashMap<>();

	private final AtomicLong lastSuccess = new AtomicLong(System.nanoTime());

	private final LongAccumulator longestGap = new LongAccumulator(Math::max, 0);

	private volatile boolean stopped;

	private Load(List<Supplier<URI>> nodes) {
		this.nodes = nodes;
	}

	static Load start(long seed, List<Supplier<URI>> nodes) {
		Load load = new Load(nodes);
		for (int i = 0; i < CLIENTS; i++) {
			Random random = new Random(seed + i);
			load.threads.add(CompletableFuture.runAsync(() -> load.run(random), (task) -> new Thread(task).start()));
		}
		return load;
	}

	private void run(Random random) {
		while (!this.stopped) {
			boolean repeat = !this.keys.isEmpty() && (isAhead() || random.nextInt(3) == 0);
			String key = repeat ? this.keys.get(random.nextInt(this.keys.size())) : newKey(random);
			deliver(key, node(random));
			if (random.nextInt(4) == 0) {
				CompletableFuture<Boolean> twin = CompletableFuture.supplyAsync(() -> deliver(key, node(new Random())));
				deliver(key, node(random));
				twin.join();
			}
		}
	}

	/**
	 * A node that is down refuses thousands of requests a second, each of which would be
	 * one more to settle.
	 */
	private boolean isAhead() {
		return this.keys.size() >= successes() + AHEAD;
	}

	private String newKey(Random random) {
		String path = NodeApplication.PATHS.get(random.nextInt(NodeApplication.PATHS.size()));
		String key = path + "-" + this.sequence.incrementAndGet();
		this.history.sent(key);
		this.keys.add(key);
		return key;
	}

	private URI node(Random random) {
		return this.nodes.get(random.nextInt(this.nodes.size())).get();
	}

	/**
	 * Delivers a request.
	 * @return whether it was answered with success
	 */
	private boolean deliver(String key, URI node) {
		try {
			HttpResponse<byte[]> response = this.client.send(node, path(key), key).join();
			// An answer that is no success says nothing about effects, but only few are
			// possible.
			assertThat(response.statusCode()).as("%s: %s", key, text(response)).isIn(201, 409, 500, 503);
			this.statuses.merge(response.statusCode(), 1, Integer::sum);
			if (response.statusCode() == 503) {
				assertThat(response.headers().firstValueAsLong("Retry-After")).as(text(response)).isPresent();
			}
			if (response.statusCode() == 201) {
				long now = System.nanoTime();
				this.longestGap.accumulate(now - this.lastSuccess.getAndSet(now));
				this.history.succeeded(key, text(response), isReplay(response));
			}
			return response.statusCode() == 201;
		}
		catch (CompletionException ex) {
			return false;
		}
	}

	private static String path(String key) {
		return key.substring(0, key.lastIndexOf('-'));
	}

	int successes() {
		return this.history.successes().size();
	}

	/**
	 * Describes what the clients have seen.
	 */
	String summary() {
		return "at most %,d ms without a success, responses by their status %s"
			.formatted(Duration.ofNanos(this.longestGap.get()).toMillis(), new TreeMap<>(this.statuses));
	}

	/**
	 * Waits until some more requests have succeeded.
	 */
	void awaitProgress() {
		int before = successes();
		await().atMost(Duration.ofMinutes(2)).until(() -> successes() >= before + 20);
	}

	/**
	 * Stops, and delivers all requests once more after the end of all leases. What
	 * commits all at once has then succeeded.
	 */
	void settle(TestDatabase database) {
		this.stopped = true;
		this.threads.forEach(CompletableFuture::join);
		JdbcTemplate jdbc = jdbc(database);
		await().atMost(Duration.ofMinutes(1))
			.ignoreExceptions()
			.until(() -> jdbc.queryForList(
					"select 1 from idempotency_lease where namespace <> '' and lease_until > clock_timestamp() limit 1")
				.isEmpty());
		ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
		try {
			this.keys.stream()
				.map((key) -> CompletableFuture.runAsync(() -> settle(key), clients))
				.toList()
				.forEach(CompletableFuture::join);
		}
		finally {
			clients.shutdownNow();
		}
	}

	private void settle(String key) {
		boolean allAtOnce = path(key).equals(NodeApplication.TRANSACTIONAL)
				|| path(key).equals(NodeApplication.LEASED_TRANSACTIONAL);
		if (!deliver(key, this.nodes.get(0).get()) && allAtOnce) {
			await().atMost(Duration.ofMinutes(2)).until(() -> deliver(key, this.nodes.get(0).get()));
		}
	}

	/**
	 * Holds everything against the database.
	 */
	void check(TestDatabase database) {
		Map<String, List<String>> effects = new HashMap<>();
		jdbc(database).query("select label, cast(id as char(36)) from effect", (row) -> {
			effects.computeIfAbsent(row.getString(1), (key) -> new ArrayList<>()).add(row.getString(2));
		});
		assertThat(HistoryChecker.check(this.history, effects)).isEmpty();
		assertThat(successes()).isPositive();
	}

	private static JdbcTemplate jdbc(TestDatabase database) {
		return PortableJdbc.of(database.kind(),
				new DriverManagerDataSource(database.jdbcUrl(), database.username(), database.password()));
	}

}
