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
package dev.idempotency.store;

/**
 * Stores a check value of the secret for the identities of this application. Used only
 * when the application starts.
 */
public interface NamespaceStore {

	/**
	 * Stores the check value of the secret, unless there is one already. If several nodes
	 * start at the same time, one of them stores its value, and all of them get that
	 * value.
	 * @param check the check value of this node's secret, at most 32 bytes
	 * @return the stored check value
	 */
	byte[] register(byte[] check);

	/**
	 * Replaces the stored check value by the check value of another secret.
	 * @param check the check value of this node's secret, at most 32 bytes
	 */
	void replace(byte[] check);

}
