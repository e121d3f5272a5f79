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
import java.util.Locale;
import java.util.function.LongSupplier;

import org.apache.commons.logging.Log;

import dev.idempotency.logging.LogEvent;

/**
 * The progress of long work, with a log line for each further tenth. The remaining time
 * is estimated from the completed part.
 */
final class WorkProgress {

	private static final int LINES = 10;

	private final Log logger;

	private final String work;

	private final LongSupplier nanos;

	private final long startedAt;

	private int logged;

	/**
	 * Starts the work.
	 * @param logger the log
	 * @param work the name of the work, the subject of each line
	 * @param nanos a clock
	 */
	WorkProgress(Log logger, String work, LongSupplier nanos) {
		this.logger = logger;
		this.work = work;
		this.nanos = nanos;
		this.startedAt = nanos.getAsLong();
	}

	/**
	 * Reports the completed part.
	 * @param part a number from 0 to 1
	 */
	void reached(double part) {
		int tenth = (int) (part * LINES);
		if (tenth > this.logged) {
			this.logged = tenth;
			long spent = this.nanos.getAsLong() - this.startedAt;
			Duration left = Duration.ofNanos((long) (spent * (1 - part) / part));
			LogEvent.WORK_PROGRESSED.log(this.logger, String.format(Locale.ROOT,
					"%s is at %.0f %%; about %d s are left", this.work, part * 100, left.toSeconds() + 1));
		}
	}

}
