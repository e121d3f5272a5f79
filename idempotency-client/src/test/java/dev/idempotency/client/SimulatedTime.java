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
package dev.idempotency.client;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import reactor.core.publisher.Mono;

/**
 * Time that passes when somebody waits, and chance that always has its way.
 */
class SimulatedTime implements RetryTime {

	static final Instant START = Instant.parse("2026-03-01T12:00:00Z");

	private final List<Duration> pauses = new CopyOnWriteArrayList<>();

	private final double chance;

	private volatile Duration passed = Duration.ZERO;

	/**
	 * @param chance which part of a longest duration is drawn, from 0 to 1
	 */
	SimulatedTime(double chance) {
		this.chance = chance;
	}

	@Override
	public Instant now() {
		return START.plus(this.passed);
	}

	@Override
	public long nanoTime() {
		return this.passed.toNanos();
	}

	@Override
	public Duration upTo(Duration longest) {
		return Duration.ofNanos((long) (longest.toNanos() * this.chance));
	}

	@Override
	public boolean pause(Duration duration) {
		this.pauses.add(duration);
		pass(duration);
		return true;
	}

	Mono<Long> delay(Duration duration) {
		return Mono.fromSupplier(() -> pause(duration) ? 0L : 1L);
	}

	void pass(Duration duration) {
		this.passed = this.passed.plus(duration);
	}

	List<Duration> pauses() {
		return List.copyOf(this.pauses);
	}

}
