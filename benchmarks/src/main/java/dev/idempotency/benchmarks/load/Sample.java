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

import java.util.Arrays;
import java.util.Collection;
import java.util.stream.LongStream;

/**
 * The measurements of one variant.
 *
 * @param latencies the time that each request took, in nanoseconds
 * @param nanos the time that all took together
 * @param cpuNanos the processor time that all took together
 * @param allocated the bytes that the application's threads allocated for all of them
 */
public record Sample(long[] latencies, long nanos, Usage usage) {

	public Sample {
		Arrays.sort(latencies);
	}

	public static Sample merge(Collection<Sample> samples) {
		return new Sample(samples.stream().flatMapToLong((sample) -> LongStream.of(sample.latencies)).toArray(),
				samples.stream().mapToLong(Sample::nanos).sum(),
				samples.stream().map(Sample::usage).reduce(Usage.NONE, Usage::plus));
	}

	public double requestsPerSecond() {
		return this.latencies.length * 1e9 / this.nanos;
	}

	/**
	 * Returns the number of requests served per second of processor time.
	 */
	public double requestsPerCpuSecond() {
		return this.latencies.length * 1e9 / this.usage.cpuNanos();
	}

	/**
	 * Returns the bytes that the application's threads allocate for one request.
	 * @return kilobytes
	 */
	public double allocatedPerRequest() {
		return this.usage.allocated() / 1024.0 / this.latencies.length;
	}

	/**
	 * The processor time that the application's threads take for one request.
	 * @return microseconds
	 */
	public double requestMicros() {
		return this.usage.requestNanos() / 1e3 / this.latencies.length;
	}

	/**
	 * The processor time that the database takes for one request.
	 * @return microseconds
	 */
	public double databaseMicros() {
		return this.usage.databaseNanos() / 1e3 / this.latencies.length;
	}

	/**
	 * The processor time of one request in the application's threads and in the database.
	 * @return microseconds
	 */
	public double micros() {
		return requestMicros() + databaseMicros();
	}

	/**
	 * A percentile of the latencies.
	 * @param percent the percentage of requests that were as fast or faster
	 * @return milliseconds
	 */
	public double percentile(double percent) {
		int index = (int) Math.ceil(this.latencies.length * percent / 100) - 1;
		return this.latencies[Math.max(index, 0)] / 1e6;
	}

}
