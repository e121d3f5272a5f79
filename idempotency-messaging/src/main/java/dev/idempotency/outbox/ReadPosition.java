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

package dev.idempotency.outbox;

import java.time.Duration;
import java.util.Collection;

import org.jspecify.annotations.Nullable;

/**
 * The position from which the outbox is read. An index contains the events that were
 * relayed until vacuum may remove them, which takes long while there is an old snapshot:
 * a search from the first position reads all of these each time.
 * <p>
 * There is no event before it:
 * <ol>
 * <li>A transaction has its id before it takes a position. One that took a position
 * before an event was seen therefore has an id below the next one of any later
 * snapshot.</li>
 * <li>When a snapshot has no running transaction below that id, all of these have ended,
 * and it shows the remaining events: the first one, or none.</li>
 * </ol>
 * From time to time, and after each failure, it begins at the first position again: a
 * database that was restored, or that has lost its last commits with its primary, assigns
 * positions again.
 */
final class ReadPosition {

	private static final long NONE = Long.MAX_VALUE;

	private static final Duration RENEWAL = Duration.ofMinutes(1);

	private long position;

	/** The last event that a snapshot has shown. */
	private long seen;

	/** All positions up to this one are those of transactions that have ended. */
	private long settled;

	private long settling = NONE;

	private long settledBefore;

	private long renewed = System.nanoTime();

	/**
	 * Returns the position before which there is no event.
	 */
	long get() {
		if (System.nanoTime() - this.renewed > RENEWAL.toNanos()) {
			renew();
		}
		return this.position;
	}

	/**
	 * Begins at the first position again.
	 */
	void renew() {
		this.renewed = System.nanoTime();
		this.position = 0;
		this.seen = 0;
		this.settled = 0;
		this.settling = NONE;
	}

	/**
	 * Records the events that a snapshot has shown.
	 */
	void seen(Collection<ClaimedEvent> events) {
		events.forEach((event) -> this.seen = Math.max(this.seen, event.position()));
	}

	/**
	 * Moves behind the events that were removed.
	 * @param rest the events from the current position on, in a later snapshot
	 */
	void advance(Rest rest) {
		if (this.settling != NONE && rest.oldestRunning() >= this.settledBefore) {
			this.settled = this.settling;
			this.settling = NONE;
		}
		if (this.settling == NONE && this.seen > this.settled) {
			this.settling = this.seen;
			this.settledBefore = rest.nextTransaction();
		}
		if (rest.last() != null) {
			this.seen = Math.max(this.seen, rest.last());
		}
		this.position = Math.min((rest.first() != null) ? rest.first() : NONE, this.settled + 1);
	}

	/**
	 * The remaining events from a position on.
	 *
	 * @param first the position of the first, {@code null} if there is none
	 * @param last the position of the last, {@code null} if there is none
	 * @param age the age of the first, zero if there is none
	 * @param oldestRunning the id below which no transaction is running
	 * @param nextTransaction the id above all that were assigned
	 */
	record Rest(@Nullable Long first, @Nullable Long last, Duration age, long oldestRunning, long nextTransaction) {
	}

}
