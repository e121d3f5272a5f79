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

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;

import com.sun.management.ThreadMXBean;

/**
 * What the threads that execute requests have allocated. Virtual threads are not counted.
 */
final class Allocation {

	private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

	private Allocation() {
	}

	/**
	 * The bytes allocated so far by the threads of Tomcat, which do not end.
	 */
	static long ofRequests() {
		long bytes = 0;
		for (ThreadInfo thread : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
			if (thread != null && thread.getThreadName().contains("-exec-")) {
				bytes += THREADS.getThreadAllocatedBytes(thread.getThreadId());
			}
		}
		return bytes;
	}

}
