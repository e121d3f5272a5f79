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
import java.sql.SQLException;

import dev.idempotency.conformance.app.Responses;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.ContentCachingResponseWrapper;

/**
 * The planted defects that are seen on the wire, and those of the thread and its
 * connections.
 */
class PlantedWire extends OncePerRequestFilter {

	private final PlantedDefects defects;

	private final PlatformTransactionManager transactionManager;

	PlantedWire(PlantedDefects defects, PlatformTransactionManager transactionManager) {
		this.defects = defects;
		this.transactionManager = transactionManager;
	}

	@Override
	protected boolean shouldNotFilter(HttpServletRequest request) {
		return request.getRequestURI().startsWith("/unprotected/");
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		ContentCachingResponseWrapper kept = new ContentCachingResponseWrapper(new WithoutHeaders(response));
		chain.doFilter(request, kept);
		boolean isReplay = kept.getHeader(Responses.MARKER) != null;
		if (this.defects.is(Plant.EMPTY_REPLAY) && isReplay) {
			kept.resetBuffer();
		}
		if (this.defects.is(Plant.LOST_HEADER) && isReplay) {
			// A header is lost when there is no value left
			kept.setHeader("X-Kind", "");
		}
		if (this.defects.is(Plant.OTHER_STATUS) && isReplay) {
			kept.setStatus(HttpServletResponse.SC_OK);
		}
		if (this.defects.is(Plant.CHANGED_FIRST_ANSWER) && !isReplay) {
			kept.getOutputStream().write('\n');
		}
		kept.copyBodyToResponse();
		leave();
	}

	/**
	 * Leaves behind what a defect leaves, once: an exhausted pool would fail requests
	 * whose answers are sent already, and the server closes their connections while the
	 * client uses them again.
	 */
	private void leave() {
		try {
			if (this.defects.take(Plant.OPEN_TRANSACTION)) {
				this.transactionManager.getTransaction(new DefaultTransactionDefinition());
			}
			if (this.defects.take(Plant.LEAKED_CONNECTION)) {
				this.defects.leak("select 1", true);
			}
			if (this.defects.take(Plant.LEAKED_LOCK)) {
				this.defects.leak("select pg_advisory_lock_shared(42)", false);
			}
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * A response that loses headers.
	 */
	private final class WithoutHeaders extends HttpServletResponseWrapper {

		WithoutHeaders(HttpServletResponse response) {
			super(response);
		}

		private boolean isLost(String name) {
			PlantedDefects defects = PlantedWire.this.defects;
			return (defects.is(Plant.UNMARKED_REPLAY) && name.equals(Responses.MARKER))
					|| (defects.is(Plant.NO_RETRY_AFTER) && name.equalsIgnoreCase("Retry-After"));
		}

		@Override
		public void setHeader(String name, String value) {
			if (!isLost(name)) {
				super.setHeader(name, value);
			}
		}

		@Override
		public void addHeader(String name, String value) {
			if (!isLost(name)) {
				super.addHeader(name, value);
			}
		}

	}

}
