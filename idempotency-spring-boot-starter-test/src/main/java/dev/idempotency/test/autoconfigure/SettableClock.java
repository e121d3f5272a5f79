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
package dev.idempotency.test.autoconfigure;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;

import org.springframework.util.Assert;

import dev.idempotency.test.IdempotencyClock;

/**
 * A clock of the store in memory that tests move forward.
 */
final class SettableClock implements IdempotencyClock, InstantSource {

	private final InstantSource source = Clock.systemUTC();

	private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);

	@Override
	public Instant instant() {
		return this.source.instant().plus(this.ahead.get());
	}

	@Override
	public void pass(Duration time) {
		requireNotNegative(time);
		this.ahead.accumulateAndGet(time, Duration::plus);
	}

	static void requireNotNegative(Duration time) {
		Assert.isTrue(!time.isNegative(), () -> "The time to pass must not be negative [" + time + "]");
	}

}
