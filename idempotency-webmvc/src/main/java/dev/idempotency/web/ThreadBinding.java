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
package dev.idempotency.web;

import java.util.concurrent.CompletableFuture;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * The binding of the handler's request and response to the thread: an injected request or
 * response has to be the same as one that the handler takes as an argument.
 */
final class ThreadBinding extends ServletRequestAttributes implements AutoCloseable {

	private final @Nullable RequestAttributes around;

	private final boolean inherited;

	private ThreadBinding(HttpServletRequest request, HttpServletResponse response, @Nullable RequestAttributes around,
			boolean inherited) {
		super(request, response);
		this.around = around;
		this.inherited = inherited;
	}

	/**
	 * Binds a request and its response.
	 * @param inherited whether threads that the handler makes inherit the binding
	 */
	static ThreadBinding bind(HttpServletRequest request, HttpServletResponse response, boolean inherited) {
		ThreadBinding binding = new ThreadBinding(request, response, RequestContextHolder.getRequestAttributes(),
				inherited);
		RequestContextHolder.setRequestAttributes(binding, inherited);
		return binding;
	}

	/**
	 * Returns whether threads inherit what Spring MVC has bound to the current thread,
	 * which only a thread can tell: the setting of the dispatcher servlet cannot be read.
	 */
	static boolean isInherited() {
		CompletableFuture<Boolean> inherited = new CompletableFuture<>();
		new Thread(() -> inherited.complete(RequestContextHolder.getRequestAttributes() != null),
				"idempotency-inheritance")
			.start();
		return inherited.join();
	}

	/**
	 * Registers the callback with the surrounding attributes: beans of the request's
	 * scope live as long as the request.
	 */
	@Override
	public void registerDestructionCallback(String name, Runnable callback, int scope) {
		if (this.around != null) {
			this.around.registerDestructionCallback(name, callback, scope);
		}
		else {
			super.registerDestructionCallback(name, callback, scope);
		}
	}

	@Override
	public void close() {
		RequestContextHolder.setRequestAttributes(this.around, this.inherited);
		requestCompleted();
	}

}
