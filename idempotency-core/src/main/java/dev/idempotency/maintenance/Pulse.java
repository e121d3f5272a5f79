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
package dev.idempotency.maintenance;

import java.time.Duration;
import java.time.Instant;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * The pulse of a worker that reports each piece of work. The monotonic clock measures its
 * silence.
 */
final class Pulse {

	/**
	 * Shortest limit of a silence: a pause of the node is not a failure.
	 */
	private static final Duration SHORTEST = Duration.ofMinutes(1);

	private final LongSupplier nanos;

	private volatile long last;

	private volatile @Nullable Instant lastBeat;

	Pulse(LongSupplier nanos) {
		this.nanos = nanos;
		this.last = nanos.getAsLong();
	}

	/**
	 * Notes the start of the worker, from which the first silence is measured.
	 */
	void start() {
		this.last = this.nanos.getAsLong();
	}

	void beat() {
		this.last = this.nanos.getAsLong();
		this.lastBeat = Instant.now();
	}

	/**
	 * Returns whether the silence has lasted for at most three intervals.
	 */
	boolean isRegular(Duration interval) {
		Duration limit = interval.multipliedBy(3);
		Duration silence = Duration.ofNanos(this.nanos.getAsLong() - this.last);
		return silence.compareTo((limit.compareTo(SHORTEST) > 0) ? limit : SHORTEST) <= 0;
	}

	/**
	 * Returns the last beat.
	 * @return the time, {@code null} if there was none yet
	 */
	@Nullable Instant lastBeat() {
		return this.lastBeat;
	}

}
