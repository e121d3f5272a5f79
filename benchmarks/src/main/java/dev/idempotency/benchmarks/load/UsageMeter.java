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

package dev.idempotency.benchmarks.load;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.time.Duration;
import java.util.List;

import com.sun.management.ThreadMXBean;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Reads what this JVM (clients and application) and the database have used. On a machine
 * that others use too, processor time is more meaningful than wall-clock time.
 */
public final class UsageMeter {

	private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

	private final JdbcTemplate jdbc;

	/**
	 * Creates a meter.
	 * @param jdbc any connection to the database server
	 */
	public UsageMeter(JdbcTemplate jdbc) {
		this.jdbc = jdbc;
	}

	/**
	 * Returns the usage so far. The operating system counts the time of processes in
	 * hundredths of a second, that of threads exactly.
	 */
	public Usage read() {
		List<Long> sessions = this.jdbc.queryForList("select pid from pg_stat_activity", Long.class);
		long databaseNanos = sessions.stream()
			.flatMap((pid) -> ProcessHandle.of(pid).stream())
			.mapToLong(UsageMeter::cpuNanos)
			.sum();
		long requestNanos = 0;
		long allocated = 0;
		// The threads of Tomcat do not end.
		for (ThreadInfo thread : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
			if (thread != null && thread.getThreadName().contains("-exec-")) {
				requestNanos += THREADS.getThreadCpuTime(thread.getThreadId());
				allocated += THREADS.getThreadAllocatedBytes(thread.getThreadId());
			}
		}
		return new Usage(requestNanos, cpuNanos(ProcessHandle.current()), databaseNanos, allocated);
	}

	public static long cpuNanos(ProcessHandle process) {
		return process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
	}

}
