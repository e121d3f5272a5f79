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
package dev.idempotency.web.recovery;

import jakarta.servlet.http.HttpServletRequest;

/**
 * The security of a filter chain, applied to a stored request, which passes none.
 */
@FunctionalInterface
public interface CommandSecurity {

	/**
	 * Checks that the account of the current thread may send a request, and adds it to
	 * the request.
	 * @param request the request
	 * @return the request for the handler
	 * @throws RuntimeException if the account may not send it
	 */
	HttpServletRequest secure(HttpServletRequest request);

}
