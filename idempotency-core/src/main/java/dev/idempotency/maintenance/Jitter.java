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
import java.util.concurrent.ThreadLocalRandom;

/**
 * Random variation of a regular interval, so that nodes do not run in step.
 */
final class Jitter {

	private Jitter() {
	}

	/**
	 * Nodes that are deployed together start anywhere in the first interval.
	 */
	static Duration first(Duration interval) {
		return scaled(interval, ThreadLocalRandom.current().nextDouble());
	}

	/**
	 * Nodes that run in step by accident drift apart.
	 */
	static Duration next(Duration interval) {
		return scaled(interval, ThreadLocalRandom.current().nextDouble(0.9, 1.1));
	}

	private static Duration scaled(Duration interval, double factor) {
		return Duration.ofNanos((long) (interval.toNanos() * factor));
	}

}
