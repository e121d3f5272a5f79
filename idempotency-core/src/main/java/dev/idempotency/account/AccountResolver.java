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
package dev.idempotency.account;

import org.jspecify.annotations.Nullable;

/**
 * Resolves the account of the caller. Declared as a bean it replaces the default, which
 * takes the authenticated principal's name where Spring Security is on the class path and
 * {@link Account#SHARED} elsewhere.
 * <p>
 * It is called on the thread of the request, after the filter chain, so that everything
 * that filters bind to the thread (security context, request attributes, tenant) is
 * available.
 */
@FunctionalInterface
public interface AccountResolver {

	/**
	 * Resolves the caller.
	 * @return the account, or {@code null} for an anonymous caller, who is treated as
	 * {@code idempotency.anonymous} says
	 */
	@Nullable Account resolve();

}
