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
package dev.idempotency.job.dbscheduler;

import java.time.Duration;
import java.time.Instant;

import com.github.kagkarlsson.scheduler.Clock;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

import dev.idempotency.logging.LogEvent;

/**
 * The database's time, without a query for each reading: db-scheduler compares heartbeats
 * of other nodes with its clock, and a node that is some minutes ahead would consider all
 * of their jobs dead. Between two queries the monotonic clock of the node is used.
 */
final class DatabaseClock implements Clock {

	private static final Log logger = LogFactory.getLog(DatabaseClock.class);

	/**
	 * A smaller difference is caused by the network, and would set the clock back.
	 */
	private static final Duration TOLERANCE = Duration.ofSeconds(1);

	private final JdbcClient jdbc;

	private final JobDialect dialect;

	private volatile Reading reading = new Reading(Instant.now(), System.nanoTime());

	DatabaseClock(JdbcClient jdbc, JobDialect dialect) {
		this.jdbc = jdbc;
		this.dialect = dialect;
	}

	@Override
	public Instant now() {
		return this.reading.now();
	}

	/**
	 * Reads the database's clock. If that fails, the clock continues unchanged.
	 */
	void synchronize() {
		try {
			Instant time = this.jdbc.sql(this.dialect.now())
				.query((row, index) -> this.dialect.customization().getInstant(row, "time"))
				.single();
			if (Duration.between(now(), time).abs().compareTo(TOLERANCE) > 0) {
				this.reading = new Reading(time, System.nanoTime());
			}
		}
		catch (DataAccessException ex) {
			LogEvent.JOB_CLOCK_FAILED.log(logger,
					"The database's clock could not be read; jobs use its last known time", ex);
		}
	}

	private record Reading(Instant time, long nanos) {

		Instant now() {
			return this.time.plusNanos(System.nanoTime() - this.nanos);
		}

	}

}
