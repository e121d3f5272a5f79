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

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/**
 * One measurement in Gatling's JVM: the requests that its users send during the slice.
 */
final class GatlingSlice {

	private final boolean replays;

	private final String path;

	private final long start = System.nanoTime();

	private final long end;

	private final LongStream.Builder latencies = LongStream.builder();

	private long last = this.start;

	private int inFlight;

	private boolean failed;

	GatlingSlice(boolean replays, String path, Duration duration) {
		this.replays = replays;
		this.path = path;
		this.end = this.start + duration.toNanos();
	}

	boolean replays() {
		return this.replays;
	}

	String path() {
		return this.path;
	}

	/**
	 * Returns whether a user is to send a request now.
	 */
	synchronized boolean begin() {
		boolean begins = left() > 0;
		this.inFlight += begins ? 1 : 0;
		return begins;
	}

	synchronized void end(long latency, boolean asExpected) {
		this.latencies.add(latency);
		this.failed |= !asExpected;
		this.last = System.nanoTime();
		this.inFlight--;
		if (this.inFlight == 0 && left() <= 0) {
			notifyAll();
		}
	}

	/**
	 * Waits until the time is over and all replies are there.
	 * @return the latencies, in nanoseconds
	 */
	synchronized long[] await() throws InterruptedException {
		for (long left = left(); left > 0; left = left()) {
			TimeUnit.NANOSECONDS.timedWait(this, left);
		}
		while (this.inFlight > 0) {
			wait();
		}
		return this.latencies.build().toArray();
	}

	private long left() {
		return this.end - System.nanoTime();
	}

	synchronized long nanos() {
		return this.last - this.start;
	}

	synchronized boolean failed() {
		return this.failed;
	}

}
