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
package dev.idempotency.provider;

import java.io.IOException;
import java.util.concurrent.ThreadLocalRandom;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.HttpStatus;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.ContentCachingResponseWrapper;

/**
 * Applies the selected faults to requests.
 */
final class FaultFilter extends OncePerRequestFilter {

	private final FaultSwitches switches;

	private final JsonMapper mapper;

	FaultFilter(FaultSwitches switches, JsonMapper mapper) {
		this.switches = switches;
		this.mapper = mapper;
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		Faults faults = this.switches.current();
		this.switches.delay(faults.latency());
		switch (faults.decide(ThreadLocalRandom.current().nextDouble())) {
			case NONE -> chain.doFilter(request, response);
			case UNAVAILABLE -> ErrorBody.apiError("The service is not available. Try again with the same key.")
				.write(response, HttpStatus.SERVICE_UNAVAILABLE, this.mapper);
			case FAIL_AFTER_CHARGE -> {
				chain.doFilter(request, new ContentCachingResponseWrapper(response));
				LostAnswerValve.lose(request);
			}
		}
	}

}
