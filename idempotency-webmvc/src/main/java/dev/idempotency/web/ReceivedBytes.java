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
package dev.idempotency.web;

import jakarta.servlet.ServletRequest;

/**
 * The count that a container keeps of the body of a request. It includes what filters
 * have read and what the container has read itself, as a form or as parts.
 */
@FunctionalInterface
public interface ReceivedBytes {

	/**
	 * Returns the number of bytes of the body that were read, by anything.
	 * @param request the container's own request, without wrappers
	 * @return the number, negative if the request is of another container
	 */
	long count(ServletRequest request);

}
