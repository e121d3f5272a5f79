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
 * Decides about a replay what only the application knows. Beans of this type are asked
 * before each stored answer that goes back to a caller: the response of an endpoint, the
 * return value of an annotated bean or of {@link IdempotencyOperations}. All of them have
 * to agree. There is none by default.
 * <p>
 * Before it is asked, the caller was authorised by the filter chain and by method
 * security on the annotated method. A check in a service that the method calls is not
 * asked on a replay, because the method does not run: such a check belongs here, too.
 * Messages are not replayed to anybody, so that nothing is asked for them.
 * <p>
 * It is called on the thread of the request, without a transaction of the library.
 */
@FunctionalInterface
public interface ReplayAuthorizer {

	/**
	 * Authorizes the replay of a stored answer.
	 * @param attempt the replay
	 * @throws RuntimeException if the caller may not have it, such as Spring Security's
	 * {@code AccessDeniedException} (403). It is handled as if the handler had thrown it,
	 * and the stored answer stays
	 */
	void authorize(ReplayAttempt attempt);

}
