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
package dev.idempotency.autoconfigure;

import dev.idempotency.Idempotent.Scope;

/**
 * Values of the property {@code idempotency.scope}: the scopes that have no other
 * attribute. A resource is named in the annotation.
 */
enum DefaultScope {

	/**
	 * One key for one request on all endpoints of an account.
	 */
	ACCOUNT(Scope.ACCOUNT),

	/**
	 * Keys of two operations are unrelated.
	 */
	ENDPOINT(Scope.ENDPOINT);

	private final Scope scope;

	DefaultScope(Scope scope) {
		this.scope = scope;
	}

	Scope scope() {
		return this.scope;
	}

}
