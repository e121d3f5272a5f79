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
package dev.idempotency.engine.transaction;

import org.springframework.transaction.support.ResourceHolder;

/**
 * Gives up a resource that a transaction has left bound to a thread, so that the
 * transaction is rolled back and the resource is not used again.
 */
@FunctionalInterface
public interface ResourceDisposer {

	/**
	 * Gives up a resource that has been unbound from its thread. Other kinds of resources
	 * are left alone.
	 * @param resource the resource
	 */
	void dispose(ResourceHolder resource);

}
