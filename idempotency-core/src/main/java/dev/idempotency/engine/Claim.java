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
package dev.idempotency.engine;

import dev.idempotency.engine.codec.StoredResponse;

/**
 * The result of a claim: the right to execute a request, or its stored response.
 */
public sealed interface Claim permits Claim.Replayed, Execution {

	/**
	 * The request was executed by another delivery.
	 *
	 * @param response its response, always replayable
	 */
	record Replayed(StoredResponse response) implements Claim {
	}

}
