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
package dev.idempotency.autoconfigure.actuator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import dev.idempotency.autoconfigure.actuator.IdempotencyEndpoint.Summary;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.OperatorStore.Oldest;
import dev.idempotency.store.OperatorStore.Overview;

/**
 * The health of protected requests, and of the background work that needs attention.
 * <ol>
 * <li>{@code DOWN}: the store does not answer. Protected requests get a 503.</li>
 * <li>{@link #DEGRADED}: protected requests are served, but the reaper does not work, or
 * a request has been without a response for too long. The detail {@code reasons} says
 * which. This status is not in Spring Boot's order of statuses: the other parts of the
 * application decide about its status, and no node is taken out of service because a
 * request needs manual resolution.</li>
 * <li>{@code UP}: everything works.</li>
 * </ol>
 */
final class IdempotencyHealthIndicator extends AbstractHealthIndicator {

	/**
	 * Requests are served, and an operator should act.
	 */
	static final Status DEGRADED = new Status("DEGRADED");

	private final OperatorStore store;

	private final NodeWorkers workers;

	private final Duration maxOpenAge;

	IdempotencyHealthIndicator(OperatorStore store, NodeWorkers workers, Duration maxOpenAge) {
		super("The idempotency store cannot be reached");
		this.store = store;
		this.workers = workers;
		this.maxOpenAge = maxOpenAge;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		Overview overview = this.store.overview();
		NodeWorkers.WorkerState reaper = this.workers.reaper();
		List<String> reasons = new ArrayList<>();
		if (reaper != null && !reaper.alive()) {
			reasons.add("The reaper of this node is not working");
		}
		Oldest oldest = overview.oldest();
		if (oldest != null && oldest.age().compareTo(this.maxOpenAge) > 0) {
			reasons.add("A request has been unfinished for longer than " + this.maxOpenAge.toSeconds() + " s");
		}
		builder.status(reasons.isEmpty() ? Status.UP : DEGRADED)
			.withDetail("running", overview.running())
			.withDetail("waiting", overview.waiting())
			.withDetail("stuck", overview.stuck());
		if (!reasons.isEmpty()) {
			builder.withDetail("reasons", reasons);
		}
		Summary.OldestOpen oldestOpen = Summary.OldestOpen.of(overview);
		if (oldestOpen != null) {
			builder.withDetail("oldestOpen", oldestOpen);
		}
		if (reaper != null) {
			builder.withDetail("reaper", reaper);
		}
	}

}
