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

/**
 * Processor time and data used, by consumer.
 *
 * @param requestNanos processor time of the threads that execute requests; virtual
 * threads are not counted
 * @param processNanos processor time of this JVM: the former, clients, compiler and
 * collector
 * @param databaseNanos processor time of the database
 * @param allocated bytes, by the threads that execute requests
 */
public record Usage(long requestNanos, long processNanos, long databaseNanos, long allocated) {

	static final Usage NONE = new Usage(0, 0, 0, 0);

	Usage plus(Usage other) {
		return new Usage(this.requestNanos + other.requestNanos, this.processNanos + other.processNanos,
				this.databaseNanos + other.databaseNanos, this.allocated + other.allocated);
	}

	public Usage minus(Usage other) {
		return new Usage(this.requestNanos - other.requestNanos, this.processNanos - other.processNanos,
				this.databaseNanos - other.databaseNanos, this.allocated - other.allocated);
	}

	public long cpuNanos() {
		return this.processNanos + this.databaseNanos;
	}

}
