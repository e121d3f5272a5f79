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
package dev.idempotency.engine.lease;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import org.springframework.context.SmartLifecycle;
import org.springframework.util.function.SingletonSupplier;

import dev.idempotency.LeaseExpiry;
import dev.idempotency.engine.observation.NotificationPublisher;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.Lease;
import dev.idempotency.store.LeaseRequest.LeaseLimits;
import dev.idempotency.store.LeaseStore;
import dev.idempotency.store.Shard;
import dev.idempotency.store.Shards;

/**
 * Extends the leases of this node, each on the shard on which it was claimed. Stops after
 * the web server: requests in flight have finished by then, or their leases are given up.
 */
public final class LeaseKeeper implements SmartLifecycle {

	private final Settings settings;

	private final Shards shards;

	private final List<Heartbeat> heartbeats;

	/**
	 * Creates a keeper.
	 * @param store supplies the store for the first lease
	 * @param settings the times of leases
	 * @param notifications publishes failures
	 * @param shards the databases with leases
	 */
	public LeaseKeeper(Supplier<LeaseStore> store, Settings settings, NotificationPublisher notifications,
			Shards shards) {
		SingletonSupplier<LeaseStore> obtained = SingletonSupplier.of(store);
		this.settings = settings;
		this.shards = shards;
		this.heartbeats = Shard.all(shards)
			.stream()
			.map((shard) -> new Heartbeat(shard, obtained::obtain, settings, notifications))
			.toList();
	}

	/**
	 * Extends a lease from now on.
	 * @param lease the lease, claimed on the shard of the current thread
	 * @return the shard
	 * @throws IllegalStateException if the shard is unknown
	 */
	public Shard hold(Lease lease) {
		for (Heartbeat heartbeat : this.heartbeats) {
			if (heartbeat.shard().isCurrent()) {
				heartbeat.hold(lease);
				return heartbeat.shard();
			}
		}
		throw new IllegalStateException("The shard '" + this.shards.current()
				+ "' is not among those that Shards.names() listed at start-up: nothing would extend its leases. "
				+ "Add it there, and restart the application.");
	}

	/**
	 * Stops extending a lease.
	 * @param lease the lease
	 */
	public void letGo(Lease lease) {
		this.heartbeats.forEach((heartbeat) -> heartbeat.letGo(lease));
	}

	/**
	 * Returns the settings of leases.
	 * @return the settings
	 */
	public Settings settings() {
		return this.settings;
	}

	@Override
	public void start() {
		this.heartbeats.forEach(Heartbeat::start);
	}

	@Override
	public void stop() {
		this.heartbeats.forEach(Heartbeat::stop);
	}

	@Override
	public boolean isRunning() {
		return this.heartbeats.get(0).isRunning();
	}

	/**
	 * Stops after the web server's graceful shutdown, whose phase is near the maximum.
	 */
	@Override
	public int getPhase() {
		return SmartLifecycle.DEFAULT_PHASE - 4096;
	}

	/**
	 * Requires a store that keeps leases.
	 * @param store the store
	 * @param subject the operation or bean that needs leases, for the message
	 * @return the store
	 * @throws InvalidIdempotentException if it is not a {@link LeaseStore}
	 */
	public static LeaseStore requireLeases(IdempotencyStore store, String subject) {
		if (store instanceof LeaseStore leases) {
			return leases;
		}
		throw withoutLeases(subject);
	}

	/**
	 * Creates the exception for a store that does not keep leases.
	 * @param subject the operation or bean that needs leases
	 * @return the exception
	 */
	public static InvalidIdempotentException withoutLeases(String subject) {
		return new InvalidIdempotentException(
				subject + " runs under a lease or in phases, and the IdempotencyStore bean of the application does not "
						+ "support leases.",
				"Implement LeaseStore in the store; or run the operation in one transaction, with "
						+ "mode = Mode.TRANSACTIONAL and without Phases.");
	}

	/**
	 * Settings of leases.
	 *
	 * @param duration the duration of a claim without a heartbeat
	 * @param heartbeat the time between two extensions, less than half of the duration
	 * @param max the maximum time for which a claim is extended
	 * @param onExpiry the handling of a request whose lease has expired
	 * @param maxAttempts the number of attempts after which a request is not claimed
	 * again
	 * @param limits the maximum numbers of unfinished requests of one account
	 */
	public record Settings(Duration duration, Duration heartbeat, Duration max, LeaseExpiry onExpiry, int maxAttempts,
			LeaseLimits limits) {
	}

}
