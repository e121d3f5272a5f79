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
package dev.idempotency.phase;

import org.jspecify.annotations.Nullable;

/**
 * A call to another system.
 *
 * @param <T> the type of its result
 */
@FunctionalInterface
public interface ForeignCall<T extends @Nullable Object> {

	/**
	 * Calls the other system. No transaction is open.
	 * @param key a key for the other system: the same on every attempt of the same step
	 * of the same request, even if the record of that request is gone; a UUID
	 * @return the result
	 * @throws Exception if the call failed
	 */
	T call(String key) throws Exception;

}
