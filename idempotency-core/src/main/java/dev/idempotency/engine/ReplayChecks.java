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
package dev.idempotency.engine;

import java.util.List;
import java.util.function.Supplier;

import org.springframework.util.function.SingletonSupplier;

import dev.idempotency.ReplayAuthorizer;
import dev.idempotency.ReplayAuthorizer.ReplayAttempt;

/**
 * Lets the application authorise each replay of a stored response.
 */
public final class ReplayChecks {

	private final SingletonSupplier<List<ReplayAuthorizer>> authorizers;

	/**
	 * Creates checks.
	 * @param authorizers supplies the authorizers of the application, usually none, at
	 * the first replay: they may depend on protected beans
	 */
	public ReplayChecks(Supplier<List<ReplayAuthorizer>> authorizers) {
		this.authorizers = SingletonSupplier.of(authorizers);
	}

	/**
	 * Requires that all authorizers agree to a replay.
	 * @param attempt supplies the replay, if there are authorizers
	 * @throws RuntimeException if one of them refuses
	 */
	public void require(Supplier<ReplayAttempt> attempt) {
		List<ReplayAuthorizer> all = this.authorizers.obtain();
		if (!all.isEmpty()) {
			ReplayAttempt replay = attempt.get();
			all.forEach((authorizer) -> authorizer.authorize(replay));
		}
	}

}
