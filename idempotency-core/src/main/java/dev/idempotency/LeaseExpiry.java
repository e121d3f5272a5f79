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
package dev.idempotency;

import dev.idempotency.Idempotent.Mode;

/**
 * The handling of a {@link Mode#LEASED} request after the lease of its owner has expired.
 */
public enum LeaseExpiry {

	/**
	 * The next delivery takes it over and runs it again, unless local effects of the
	 * first run have been committed.
	 */
	RERUN,

	/**
	 * Deliveries are refused with 409 until an operator decides.
	 */
	REFUSE,

	/**
	 * Deliveries are refused with 409 and the completer takes it over.
	 */
	COMPLETE

}
