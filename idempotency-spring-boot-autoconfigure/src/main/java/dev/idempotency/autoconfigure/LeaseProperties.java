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
package dev.idempotency.autoconfigure;

import java.time.Duration;

import org.springframework.boot.context.properties.bind.DefaultValue;

import dev.idempotency.LeaseExpiry;
import dev.idempotency.engine.operation.Reaction;

import static dev.idempotency.autoconfigure.PropertyRules.require;
import static dev.idempotency.autoconfigure.PropertyRules.requirePositive;

/**
 * Settings of leases of operations in mode leased.
 *
 * @param duration Time that the lease of a running request is valid without a heartbeat.
 * @param heartbeat Time between two extensions of the leases of this node.
 * @param max Longest time that heartbeats keep the lease of a running request alive.
 * @param onExpiry Treatment of a request after its lease has expired.
 * @param unfencedWrites Reaction to a write of a leased operation outside Spring's
 * transactions, to which the lease does not apply.
 */
public record LeaseProperties(@DefaultValue("30s") Duration duration, @DefaultValue("10s") Duration heartbeat,
		@DefaultValue("10m") Duration max, @DefaultValue("rerun") LeaseExpiry onExpiry,
		@DefaultValue("warn") Reaction unfencedWrites) {

	static final LeaseProperties DEFAULTS = new LeaseProperties(Duration.ofSeconds(30), Duration.ofSeconds(10),
			Duration.ofMinutes(10), LeaseExpiry.RERUN, Reaction.WARN);

	public LeaseProperties {
		requirePositive(duration, "lease.duration", "30s");
		requirePositive(heartbeat, "lease.heartbeat", "10s");
		require(heartbeat.multipliedBy(2).compareTo(duration) <= 0, "lease.heartbeat", heartbeat,
				"Write at most half of idempotency.lease.duration (" + duration + ").");
		require(max.compareTo(duration) >= 0, "lease.max", max,
				"Write at least idempotency.lease.duration (" + duration + ").");
	}

}
