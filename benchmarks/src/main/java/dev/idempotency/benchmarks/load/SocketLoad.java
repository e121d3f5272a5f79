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

package dev.idempotency.benchmarks.load;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;

import dev.idempotency.benchmarks.load.HttpConnection.Reply;

/**
 * Clients of our own, in this JVM.
 */
public final class SocketLoad implements Load {

	private final ExecutorService executor;

	private final UsageMeter meter;

	private final List<Map<Integer, HttpConnection>> connections = new ArrayList<>();

	public SocketLoad(int threads, UsageMeter meter) {
		this.meter = meter;
		this.executor = Executors.newFixedThreadPool(threads);
		for (int i = 0; i < threads; i++) {
			this.connections.add(new HashMap<>());
		}
	}

	@Override
	public Sample run(Variant variant, Duration duration) {
		Usage before = this.meter.read();
		long start = System.nanoTime();
		long end = start + duration.toNanos();
		List<Future<long[]>> clients = new ArrayList<>();
		for (int i = 0; i < this.connections.size(); i++) {
			Map<Integer, HttpConnection> own = this.connections.get(i);
			int port = variant.ports().get(i % variant.ports().size());
			clients.add(this.executor.submit(() -> send(connection(own, port), variant, end)));
		}
		long[] latencies = clients.stream().map(SocketLoad::result).flatMapToLong(LongStream::of).toArray();
		return new Sample(latencies, System.nanoTime() - start, this.meter.read().minus(before));
	}

	private static HttpConnection connection(Map<Integer, HttpConnection> own, int port) throws IOException {
		HttpConnection connection = own.get(port);
		if (connection == null) {
			connection = new HttpConnection(port);
			own.put(port, connection);
		}
		return connection;
	}

	private static long[] send(HttpConnection connection, Variant variant, long end) throws IOException {
		LongStream.Builder latencies = LongStream.builder();
		long before = System.nanoTime();
		do {
			Reply reply = connection.post(variant);
			if (!reply.equals(variant.expected())) {
				throw new IllegalStateException(variant.name() + ": " + reply + " instead of " + variant.expected());
			}
			long after = System.nanoTime();
			latencies.add(after - before);
			before = after;
		}
		while (before < end);
		return latencies.build().toArray();
	}

	private static long[] result(Future<long[]> client) {
		try {
			return client.get();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException(ex.getCause());
		}
	}

	@Override
	public void close() throws IOException {
		this.executor.shutdown();
		for (Map<Integer, HttpConnection> own : this.connections) {
			for (HttpConnection connection : own.values()) {
				connection.close();
			}
		}
	}

}
