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
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import dev.idempotency.Idempotent.Scope;
import dev.idempotency.account.Account;
import dev.idempotency.exception.MalformedKeyException;

/**
 * A request for {@link IdempotencyOperations}.
 *
 * @param operation a stable name of bounded cardinality, such as {@code invoice.pay}
 * @param key the key: any text that identifies this one execution
 * @param content the content that the work depends on; it is written as JSON and hashed,
 * so that the same key with other content is refused. {@code null} to compare nothing
 * @param scope the scope of the key; {@link Scope#DEFAULT} for {@code idempotency.scope}
 * @param resource the resource type, for {@link Scope#RESOURCE}
 * @param ttl the time for which the return value is kept, {@code null} for
 * {@code idempotency.ttl}
 * @param account the owner of the key, {@code null} for the current caller
 * @param maxWait the time for which a duplicate waits for a running first delivery, zero
 * to be refused immediately; {@code null} for {@code idempotency.in-flight}
 */
public record IdempotencyRequest(String operation, String key, @Nullable Object content, Scope scope, String resource,
		@Nullable Duration ttl, @Nullable Account account, @Nullable Duration maxWait) {

	public IdempotencyRequest {
		if (operation.isBlank()) {
			throw new IllegalArgumentException("An operation needs a name, such as \"invoice.pay\"");
		}
		if (key.isBlank()) {
			throw new MalformedKeyException("The idempotency key of " + operation + " is blank.");
		}
		Objects.requireNonNull(scope, "scope");
	}

	/**
	 * Creates a request with the defaults.
	 * @param operation the operation's name
	 * @param key the key
	 * @return the request
	 */
	public static IdempotencyRequest of(String operation, String key) {
		return new IdempotencyRequest(operation, key, null, Scope.DEFAULT, "", null, null, null);
	}

	/**
	 * Returns this request with the content that the work depends on.
	 * @param content anything that can be written as JSON
	 * @return a new request
	 */
	public IdempotencyRequest withContent(Object content) {
		return new IdempotencyRequest(this.operation, this.key, content, this.scope, this.resource, this.ttl,
				this.account, this.maxWait);
	}

	/**
	 * Returns this request with a scope other than the default, and not
	 * {@link Scope#RESOURCE}.
	 * @param scope the scope
	 * @return a new request
	 */
	public IdempotencyRequest withScope(Scope scope) {
		return new IdempotencyRequest(this.operation, this.key, this.content, scope, "", this.ttl, this.account,
				this.maxWait);
	}

	/**
	 * Returns this request with keys that are unique within a resource type.
	 * @param resource the resource type
	 * @return a new request
	 */
	public IdempotencyRequest withResource(String resource) {
		return new IdempotencyRequest(this.operation, this.key, this.content, Scope.RESOURCE, resource, this.ttl,
				this.account, this.maxWait);
	}

	/**
	 * Returns this request with a time to live other than the default.
	 * @param ttl the time for which the return value is kept
	 * @return a new request
	 */
	public IdempotencyRequest withTtl(Duration ttl) {
		return new IdempotencyRequest(this.operation, this.key, this.content, this.scope, this.resource, ttl,
				this.account, this.maxWait);
	}

	/**
	 * Returns this request on behalf of an account.
	 * @param account the owner of the key
	 * @return a new request
	 */
	public IdempotencyRequest withAccount(Account account) {
		return new IdempotencyRequest(this.operation, this.key, this.content, this.scope, this.resource, this.ttl,
				account, this.maxWait);
	}

	/**
	 * Returns this request with a limit for the wait for a running first delivery.
	 * @param maxWait the time for which a duplicate waits, zero to be refused immediately
	 * @return a new request
	 */
	public IdempotencyRequest withMaxWait(Duration maxWait) {
		return new IdempotencyRequest(this.operation, this.key, this.content, this.scope, this.resource, this.ttl,
				this.account, maxWait);
	}

}
