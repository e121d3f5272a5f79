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
package dev.idempotency.sample.quote;

import java.security.Principal;
import java.util.concurrent.CompletableFuture;

import jakarta.validation.Valid;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;

/**
 * The API of quotes.
 */
@RestController
@RequestMapping("/quotes")
class QuoteController {

	private final QuoteService quotes;

	private final AsyncTaskExecutor executor;

	QuoteController(QuoteService quotes, @Qualifier("applicationTaskExecutor") AsyncTaskExecutor executor) {
		this.quotes = quotes;
		this.executor = executor;
	}

	/**
	 * Answers from another thread, without one transaction around all of it: the request
	 * is claimed under a lease. On Spring Boot's executor the thread belongs to the
	 * request, and what it commits depends on that lease.
	 */
	@Idempotent(mode = Mode.LEASED)
	@PostMapping
	@ResponseStatus(HttpStatus.CREATED)
	CompletableFuture<QuoteView> quote(Principal caller, @RequestBody @Valid QuoteRequest request) {
		String owner = caller.getName();
		return CompletableFuture.supplyAsync(() -> this.quotes.quote(owner, request), this.executor);
	}

}
