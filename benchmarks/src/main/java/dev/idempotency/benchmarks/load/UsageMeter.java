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
import java.util.HashMap;
import java.util.List;
import java.util.Map;

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
	 * Processor time and allocated bytes of each thread of Tomcat when it was last read.
	 * The threads of an application that is idle for a minute end, and what they have
	 * used still counts.
	 */
	private final Map<Long, Used> threads = new HashMap<>();

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
		for (ThreadInfo thread : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
			if (thread != null && thread.getThreadName().contains("-exec-")) {
				long id = thread.getThreadId();
				Used used = new Used(THREADS.getThreadCpuTime(id), THREADS.getThreadAllocatedBytes(id));
				if (used.nanos() >= 0) {
					this.threads.put(id, used);
				}
			}
		}
		long requestNanos = this.threads.values().stream().mapToLong(Used::nanos).sum();
		long allocated = this.threads.values().stream().mapToLong(Used::bytes).sum();
		return new Usage(requestNanos, cpuNanos(ProcessHandle.current()), databaseNanos, allocated);
	}

	public static long cpuNanos(ProcessHandle process) {
		return process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
	}

	private record Used(long nanos, long bytes) {
	}

}
