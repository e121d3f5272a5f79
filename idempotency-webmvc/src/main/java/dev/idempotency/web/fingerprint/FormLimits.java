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
package dev.idempotency.web.fingerprint;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/**
 * The limits of the container for forms, which also apply to bodies that the library
 * reads in its place.
 */
@FunctionalInterface
public interface FormLimits {

	/**
	 * The number of fields that applies if the container does not expose its own: the
	 * default of Tomcat and Jetty.
	 */
	int USUAL_FIELDS = 1000;

	/**
	 * Compares a form with the limits.
	 * @param request the request
	 * @param length the length of its body, in bytes
	 * @param fields the number of fields in query and body
	 * @return the exception that the container throws when a parameter is read, or
	 * {@code null} if the form keeps the limits
	 */
	@Nullable RuntimeException refusal(HttpServletRequest request, int length, int fields);

	/**
	 * Creates limits with a number of fields.
	 * @param fields the largest number of fields in query and body together
	 * @return the limits
	 */
	static FormLimits of(int fields) {
		return (request, length, found) -> (found > fields)
				? new ResponseStatusException(HttpStatus.BAD_REQUEST, "The form has more than " + fields + " fields.")
				: null;
	}

}
