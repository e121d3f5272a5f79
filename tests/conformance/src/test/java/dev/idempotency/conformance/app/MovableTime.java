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
package dev.idempotency.conformance.app;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import com.github.benmanes.caffeine.cache.Ticker;

/**
 * Time as it passes, and some more when a test wants it.
 */
public final class MovableTime implements Ticker {

	private final AtomicLong ahead = new AtomicLong();

	@Override
	public long read() {
		return System.nanoTime() + this.ahead.get();
	}

	/**
	 * As it passes from now on.
	 */
	public void reset() {
		this.ahead.set(0);
	}

	public void pass(Duration time) {
		this.ahead.addAndGet(time.toNanos());
	}

}
