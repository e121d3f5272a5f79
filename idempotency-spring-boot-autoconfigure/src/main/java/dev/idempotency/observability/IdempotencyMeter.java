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
package dev.idempotency.observability;

import java.util.List;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Meter.Type;

/**
 * The meters of the library. Their tags are bounded: {@code operation} is the mapping of
 * an endpoint, the method of a bean or the name that the application gave, never data of
 * a request; {@code phase}, {@code by}, {@code source}, {@code reason} and
 * {@code outcome} are constants.
 */
public enum IdempotencyMeter {

	/**
	 * Requests by their {@link RequestOutcome outcome}.
	 */
	REQUESTS("idempotency.requests", Type.TIMER,
			"Requests by outcome: executed, replayed, released, interrupted, mismatched, in_progress, stuck, limited, not_replayable",
			"operation", "outcome", "source"),

	/**
	 * Unfinished requests that were claimed again.
	 */
	TAKEN_OVER("idempotency.taken.over", Type.COUNTER,
			"Unfinished requests that were claimed again, by claimant: sender, completer", "operation", "by"),

	/**
	 * Requests of another version of the application.
	 */
	UNKNOWN_STEPS("idempotency.unknown.steps", Type.COUNTER,
			"Requests that were not continued because of steps unknown to this version", "operation"),

	/**
	 * Requests that need manual resolution.
	 */
	STUCK("idempotency.stuck", Type.COUNTER, "Unfinished requests that need manual resolution", "operation"),

	/**
	 * Records that the reaper deleted.
	 */
	EXPIRED("idempotency.expired", Type.COUNTER, "Answers that this node deleted after their time to live"),

	/**
	 * Failed attempts of staged jobs.
	 */
	JOB_FAILED("idempotency.job.failed", Type.COUNTER,
			"Failed attempts to run a staged job; it is tried again unless it is dead", "operation"),

	/**
	 * Staged jobs that failed for the last time.
	 */
	JOB_DEAD("idempotency.job.dead", Type.COUNTER, "Staged jobs that failed permanently and need manual resolution",
			"operation"),

	/**
	 * Events that a broker has accepted.
	 */
	OUTBOX_RELAYED("idempotency.outbox.relayed", Type.TIMER,
			"Events that a broker has accepted, timed from their publication"),

	/**
	 * Events that a broker has not accepted.
	 */
	OUTBOX_FAILED("idempotency.outbox.failed", Type.COUNTER,
			"Failed attempts to relay an event, by cause: event, destination", "reason"),

	/**
	 * The oldest event.
	 */
	OUTBOX_OLDEST("idempotency.outbox.oldest", Type.GAUGE,
			"Age in seconds of the oldest event that is not relayed; 0 without any"),

	/**
	 * Failures of the store.
	 */
	STORE_ERRORS("idempotency.store.errors", Type.COUNTER,
			"Failures of the store, by operation: claim, phase, finish, resolve, extend, complete, reap", "operation",
			"phase");

	private final String meterName;

	private final Type type;

	private final String description;

	private final List<String> tags;

	IdempotencyMeter(String meterName, Meter.Type type, String description, String... tags) {
		this.meterName = meterName;
		this.type = type;
		this.description = description;
		this.tags = List.of(tags);
	}

	/**
	 * The name of the meter.
	 * @return the name, in Micrometer's notation
	 */
	public String meterName() {
		return this.meterName;
	}

	/**
	 * The type of the meter.
	 * @return {@link Type#TIMER}, {@link Type#COUNTER} or {@link Type#GAUGE}
	 */
	public Type type() {
		return this.type;
	}

	/**
	 * Returns the description of the meter.
	 * @return a phrase
	 */
	public String description() {
		return this.description;
	}

	/**
	 * The keys of its tags.
	 * @return the keys, in order
	 */
	public List<String> tags() {
		return this.tags;
	}

}
