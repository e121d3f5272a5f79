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
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import dev.idempotency.logging.LogEvent;
import dev.idempotency.store.UnfinishedStore.Backoff;

/**
 * Destinations that do not answer, with the times until which this node does not use
 * them. Used by one thread.
 */
final class Destinations {

	private static final Log logger = LogFactory.getLog(Destinations.class);

	private final Map<String, Outage> outages = new HashMap<>();

	private final Backoff backoff;

	Destinations(Backoff backoff) {
		this.backoff = backoff;
	}

	/**
	 * Returns the destinations to which no event is sent now.
	 */
	List<String> paused() {
		long now = System.nanoTime();
		return this.outages.entrySet()
			.stream()
			.filter((entry) -> entry.getValue().until() - now > 0)
			.map(Map.Entry::getKey)
			.toList();
	}

	/**
	 * Pauses a destination that did not answer, unless an earlier event of the same turn
	 * has paused it.
	 */
	void unavailable(String destination, Throwable failure) {
		long now = System.nanoTime();
		Outage before = this.outages.get(destination);
		if (before != null && before.until() - now > 0) {
			return;
		}
		int failures = (before != null) ? before.failures() + 1 : 1;
		Duration pause = this.backoff.after(failures);
		this.outages.put(destination, new Outage(failures, now + pause.toNanos()));
		if (before == null) {
			LogEvent.OUTBOX_DESTINATION_DOWN.log(logger, "The destination '" + destination
					+ "' does not answer; its events stay in the outbox and are retried", failure);
		}
	}

	/**
	 * Ends the pauses of a destination that has accepted or refused an event.
	 */
	void available(String destination) {
		if (this.outages.remove(destination) != null) {
			LogEvent.OUTBOX_DESTINATION_UP.log(logger, "The destination '" + destination + "' answers again");
		}
	}

	private record Outage(int failures, long until) {
	}

}
