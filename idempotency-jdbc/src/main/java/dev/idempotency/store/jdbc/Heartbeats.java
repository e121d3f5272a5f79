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
package dev.idempotency.store.jdbc;

import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import dev.idempotency.store.Shards;
import dev.idempotency.store.jdbc.connection.ConnectionWork;
import dev.idempotency.store.jdbc.connection.HeartbeatConnections;
import dev.idempotency.store.jdbc.connection.NetworkTimeout;
import dev.idempotency.store.jdbc.connection.OwnConnection;
import dev.idempotency.store.jdbc.connection.StoreConnections;

/**
 * The heartbeats of the leases of each shard, on a connection beside that shard's pool.
 *
 * @param connections the connections of the business transactions
 * @param ownConnection makes an extension a transaction
 * @param timeout the time that the database may take to answer
 * @param unpooled connects without the application's pool
 * @param shards the databases behind the connections
 * @param opened the connections, by the shard that they go to
 */
record Heartbeats(StoreConnections connections, OwnConnection ownConnection, NetworkTimeout timeout,
		Supplier<@Nullable DataSource> unpooled, Shards shards,
		Map<String, HeartbeatConnections> opened) implements AutoCloseable {

	/**
	 * A heartbeat that is lost in the network is given up early enough for the next one
	 * to come in time: the time between two of them is less than half of the lease.
	 */
	private static final int PER_LEASE = 4;

	/**
	 * Extends the leases of the shard that is selected now.
	 * @param leases their number
	 * @param duration the time that they are extended by
	 * @param extension extends them, and returns how many are still held
	 */
	void extend(int leases, Duration duration, ConnectionWork<Integer> extension) {
		NetworkTimeout limit = this.timeout.atMost(duration.dividedBy(PER_LEASE));
		this.opened
			.computeIfAbsent(this.shards.current(),
					(shard) -> new HeartbeatConnections(this.connections.dataSource(), this.unpooled))
			.extend(leases,
					(connection) -> this.ownConnection.run(this.connections.translating(connection), limit, extension),
					() -> this.ownConnection.run(limit, extension));
	}

	@Override
	public void close() throws Exception {
		for (HeartbeatConnections connections : this.opened.values()) {
			connections.close();
		}
	}

}
