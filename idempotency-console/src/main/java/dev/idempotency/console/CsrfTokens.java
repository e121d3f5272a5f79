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
package dev.idempotency.console;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The tokens by which the application recognizes requests of its own pages.
 */
@FunctionalInterface
public interface CsrfTokens {

	/**
	 * Returns the token that goes with a request's session or cookie.
	 * @param request the request for the page's settings
	 * @return the token, {@code null} if the application asks for none
	 */
	@Nullable Token of(HttpServletRequest request);

	/**
	 * A token.
	 *
	 * @param header the name of the header that carries it
	 * @param value its value
	 */
	record Token(String header, String value) implements OperationResponseBody {
	}

}
