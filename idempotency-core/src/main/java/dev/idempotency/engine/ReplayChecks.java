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

import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.util.function.SingletonSupplier;

import dev.idempotency.IdempotencyRequest;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.ReplayAuthorizer;
import dev.idempotency.ReplayAuthorizer.ReplayAttempt;
import dev.idempotency.account.Account;

/**
 * Asks the application before stored answers go back to callers.
 */
public final class ReplayChecks {

	private final SingletonSupplier<List<ReplayAuthorizer>> authorizers;

	/**
	 * Creates checks.
	 * @param authorizers supplies those of the application, usually none, at the first
	 * replay: they may depend on protected beans
	 */
	public ReplayChecks(Supplier<List<ReplayAuthorizer>> authorizers) {
		this.authorizers = SingletonSupplier.of(authorizers);
	}

	/**
	 * Requires that the caller of a method may have its stored answer.
	 * @param operation the operation
	 * @param account the caller
	 * @param arguments the arguments of the method
	 * @throws RuntimeException if not
	 */
	public void require(IdempotentOperation operation, Account account, @Nullable Object[] arguments) {
		List<ReplayAuthorizer> all = this.authorizers.obtain();
		if (!all.isEmpty()) {
			require(all, new ReplayAttempt(operation, account, Arrays.asList(arguments)));
		}
	}

	/**
	 * Requires that the caller of an operation may have its stored return value.
	 * @param operation the operation
	 * @param account gives the caller
	 * @param request the request
	 * @throws RuntimeException if not
	 */
	public void require(IdempotentOperation operation, Supplier<Account> account, IdempotencyRequest request) {
		List<ReplayAuthorizer> all = this.authorizers.obtain();
		if (!all.isEmpty()) {
			require(all, new ReplayAttempt(operation, account.get(), arguments(request.content())));
		}
	}

	private static void require(List<ReplayAuthorizer> all, ReplayAttempt attempt) {
		all.forEach((authorizer) -> authorizer.authorize(attempt));
	}

	@SuppressWarnings("unchecked")
	private static List<@Nullable Object> arguments(@Nullable Object content) {
		if (content instanceof List<?> several) {
			return (List<@Nullable Object>) several;
		}
		return (content != null) ? List.of(content) : List.of();
	}

}
