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

package dev.idempotency.benchmarks;

import java.time.Duration;
import java.util.List;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The processor time that this JVM (clients and application) and the database have used.
 * On a machine that others use too it tells more than the time on the wall.
 */
final class CpuClock {

	private final JdbcTemplate jdbc;

	/**
	 * Create a clock.
	 * @param jdbc any connection to the database server
	 */
	CpuClock(JdbcTemplate jdbc) {
		this.jdbc = jdbc;
	}

	/**
	 * The time used so far. The operating system counts it in hundredths of a second.
	 * @return nanoseconds
	 */
	long nanos() {
		List<Long> sessions = this.jdbc.queryForList("select pid from pg_stat_activity", Long.class);
		return nanos(ProcessHandle.current())
				+ sessions.stream().flatMap((pid) -> ProcessHandle.of(pid).stream()).mapToLong(CpuClock::nanos).sum();
	}

	static long nanos(ProcessHandle process) {
		return process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
	}

}
