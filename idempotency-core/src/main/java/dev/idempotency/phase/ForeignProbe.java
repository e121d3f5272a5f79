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

import java.util.Optional;

/**
 * Asks another system without idempotency keys whether an earlier attempt succeeded.
 *
 * @param <T> the type of the result
 */
@FunctionalInterface
public interface ForeignProbe<T> {

	/**
	 * Asks the other system. No transaction is open.
	 * @param key the key of the earlier attempt
	 * @return the result of the earlier attempt, empty if there is none
	 * @throws Exception if the other system cannot be reached; the call is then not made
	 */
	Optional<T> find(String key) throws Exception;

}
