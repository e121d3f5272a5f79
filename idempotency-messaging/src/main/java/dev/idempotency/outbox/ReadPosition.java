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
 * <li>A transaction has its id before it takes a position. Those with a position before
 * an event that was seen have therefore lower ids than one that is assigned after
 * that.</li>
 * <li>When a snapshot has no running transaction below that id, all of these have ended,
 * and it shows the remaining events: the first one, or none.</li>
 * </ol>
 * The id has to be a new one. The upper limit of a snapshot is none: it is the id after
 * the last transaction that has ended, and later ones may be running.
 * <p>
 * From time to time, and after each failure, it begins at the first position again: a
 * database that was restored, or that has lost its last commits with its primary, assigns
 * positions again.
 */
final class ReadPosition {

	private static final Duration RENEWAL = Duration.ofMinutes(1);

	private long position;

	/** The last event that a snapshot has shown. */
	private long seen;

	/** All positions up to this one belong to transactions that have ended. */
	private long settled;

	/** The positions up to this one are settled when no id below the limit is running. */
	private long settling;

	private long limit;

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
		this.settling = 0;
	}

	/**
	 * Records the events that a snapshot has shown.
	 */
	void seen(Collection<ClaimedEvent> events) {
		events.forEach((event) -> this.seen = Math.max(this.seen, event.position()));
	}

	/**
	 * Returns whether the next snapshot has to come with a new id.
	 */
	boolean needsId() {
		return this.settling == this.settled && this.seen > this.settled;
	}

	/**
	 * Moves behind the events that were removed.
	 * @param rest the events from the current position on, in a later snapshot
	 */
	void advance(Rest rest) {
		if (needsId()) {
			this.settling = this.seen;
			this.limit = rest.newTransaction();
		}
		if (rest.oldestRunning() >= this.limit) {
			this.settled = this.settling;
		}
		if (rest.last() != null) {
			this.seen = Math.max(this.seen, rest.last());
		}
		this.position = Math.min((rest.first() != null) ? rest.first() : Long.MAX_VALUE, this.settled + 1);
	}

	/**
	 * The remaining events from a position on.
	 *
	 * @param first the position of the first, {@code null} if there is none
	 * @param last the position of the last, {@code null} if there is none
	 * @param age the age of the first, zero if there is none
	 * @param oldestRunning the id below which no transaction is running
	 * @param newTransaction an id that was assigned after the snapshot, 0 if none was
	 * needed
	 */
	record Rest(@Nullable Long first, @Nullable Long last, Duration age, long oldestRunning, long newTransaction) {
	}

}
