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
package dev.idempotency.web.key;

import java.util.List;

import jakarta.servlet.http.HttpServletRequest;

/**
 * A resolver of the key of a request. Declared as a bean, it replaces the default: the
 * field lines of the header {@code idempotency.header}, and for HTML forms the field
 * {@code _idempotency_key} of the body.
 */
@FunctionalInterface
public interface KeyResolver {

	/**
	 * Finds the key's raw values.
	 * @param request the request; its body must not be read, its form parameters may
	 * @return the raw values as sent: none for no key, more than one is malformed
	 */
	List<String> resolve(HttpServletRequest request);

}
