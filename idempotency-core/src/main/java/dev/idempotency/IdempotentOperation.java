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

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Replay;
import dev.idempotency.Idempotent.Scope;

/**
 * A protected operation with the settings of its annotation and of the properties,
 * resolved and validated.
 *
 * @param name a stable name of bounded cardinality: the request mapping of an endpoint
 * (<code>POST /orders/{id}</code>), class and method of other beans
 * @param key the SpEL expression for the key, or {@code null} for the request header
 * @param scope the scope, never {@link Scope#DEFAULT}
 * @param resource the resource type, empty unless the scope is {@link Scope#RESOURCE}
 * @param ttl the time for which a response is kept
 * @param clientErrorTtl the time for which a response with a 4xx status is kept, at most
 * {@code ttl}
 * @param required whether a request without a key is refused
 * @param mode the mode, never {@link Mode#DEFAULT}
 * @param replay the response to a duplicate of a finished request
 */
public record IdempotentOperation(String name, @Nullable String key, Scope scope, String resource, Duration ttl,
		Duration clientErrorTtl, boolean required, Mode mode, Replay replay) {

	/**
	 * Returns this operation in another mode.
	 * @param other the mode
	 * @return a new operation
	 */
	public IdempotentOperation withMode(Mode other) {
		return new IdempotentOperation(this.name, this.key, this.scope, this.resource, this.ttl, this.clientErrorTtl,
				this.required, other, this.replay);
	}

	/**
	 * Returns the time for which a response is kept.
	 * @param status its status, 0 for the return value of a bean
	 * @return a positive duration
	 */
	public Duration ttl(int status) {
		return (status / 100 == 4) ? this.clientErrorTtl : this.ttl;
	}

}
