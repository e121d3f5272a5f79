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

package dev.idempotency.conformance.fuzz;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import jakarta.servlet.http.HttpServletRequest;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;

/**
 * A handler of each declared asynchronous type.
 */
abstract class FuzzAsyncHandlers {

	@Autowired
	private Interpreter interpreter;

	@PostMapping("/callable")
	Callable<Object> callable(Script script, HttpServletRequest request) {
		return this.interpreter.task(script, request);
	}

	@PostMapping("/future")
	CompletableFuture<Object> future(Script script, HttpServletRequest request) {
		return this.interpreter.future(script, request);
	}

	@PostMapping("/deferred")
	DeferredResult<Object> deferred(Script script, HttpServletRequest request) {
		return this.interpreter.deferred(script, request);
	}

	@PostMapping("/task")
	WebAsyncTask<Object> task(Script script, HttpServletRequest request) {
		return new WebAsyncTask<>(this.interpreter.task(script, request));
	}

}
