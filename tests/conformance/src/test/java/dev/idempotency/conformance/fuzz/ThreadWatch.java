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

import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * The outermost filter: looks for what a request has left on its thread.
 */
final class ThreadWatch extends OncePerRequestFilter {

	private final Queue<String> findings = new ConcurrentLinkedQueue<>();

	@Override
	protected boolean shouldNotFilterAsyncDispatch() {
		return false;
	}

	@Override
	protected boolean shouldNotFilterErrorDispatch() {
		return false;
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		look(request, "before");
		if (!isAsyncDispatch(request) && request.getDispatcherType() == DispatcherType.REQUEST) {
			response.setHeader("X-Filter", "once");
		}
		try {
			chain.doFilter(request, response);
		}
		finally {
			look(request, "after");
		}
	}

	private void look(HttpServletRequest request, String when) {
		if (TransactionSynchronizationManager.isActualTransactionActive()
				|| TransactionSynchronizationManager.isSynchronizationActive()
				|| !TransactionSynchronizationManager.getResourceMap().isEmpty()) {
			this.findings.add(Thread.currentThread().getName() + " " + when + " " + request.getDispatcherType() + " "
					+ request.getRequestURI() + ": transaction "
					+ TransactionSynchronizationManager.isActualTransactionActive() + ", resources "
					+ TransactionSynchronizationManager.getResourceMap().keySet());
		}
	}

	/**
	 * Returns the findings since the last call.
	 */
	List<String> takeFindings() {
		List<String> taken = List.copyOf(this.findings);
		this.findings.clear();
		return taken;
	}

}
