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
package dev.idempotency.autoconfigure.cache;

import java.time.Duration;
import java.time.InstantSource;

import com.github.benmanes.caffeine.cache.Ticker;

import dev.idempotency.engine.ResponseCache;

/**
 * The local cache with a clock that a test sets.
 */
public final class TickingAnswers {

	private TickingAnswers() {
	}

	public static ResponseCache create(Ticker ticker) {
		return new LocalResponses(1000, Duration.ofDays(1), ticker, InstantSource.system());
	}

}
