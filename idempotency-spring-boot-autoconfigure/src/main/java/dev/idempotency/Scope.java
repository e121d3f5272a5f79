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

/**
 * The space, inside of (application namespace, tenant, account), in which a key stands
 * for one request.
 */
public enum Scope {

	/**
	 * What {@code idempotency.scope} says.
	 */
	DEFAULT,

	/**
	 * One key, one request, wherever it is sent, as Stripe does: on another endpoint it
	 * is a 422.
	 */
	ACCOUNT,

	/**
	 * Keys of two annotated methods are unrelated.
	 */
	ENDPOINT,

	/**
	 * Keys are unique within a named resource type, over all endpoints that share it.
	 */
	RESOURCE

}
