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

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.idempotency.account.Account;

/**
 * Decides whether a stored response may be replayed to a caller, by rules that only the
 * application knows. All beans of this type are called before each replay of the response
 * of an endpoint, or of the return value of an annotated bean or of
 * {@link IdempotencyOperations}, and all of them have to agree. By default there is none.
 * <p>
 * The filter chain and method security on the annotated method have already authorised
 * the caller. A check in a service that the method calls is not made on a replay, because
 * the method does not run: such a check belongs here, too. Not called for messages, which
 * are not replayed.
 * <p>
 * It is called on the thread of the request, without a transaction of the library.
 */
@FunctionalInterface
public interface ReplayAuthorizer {

	/**
	 * Authorizes the replay of a stored response.
	 * @param attempt the replay
	 * @throws RuntimeException if the caller may not have it, such as Spring Security's
	 * {@code AccessDeniedException} (403). It is handled as if the handler had thrown it,
	 * and the stored response is kept
	 */
	void authorize(ReplayAttempt attempt);

	/**
	 * A replay that is about to happen.
	 *
	 * @param operation the operation
	 * @param account the caller, who owns the stored response
	 * @param arguments the arguments of the annotated method, resolved and validated as
	 * for the first request; for {@link IdempotencyOperations} the content of the
	 * request. Unmodifiable, with {@code null} elements where an argument is {@code null}
	 */
	record ReplayAttempt(IdempotentOperation operation, Account account, List<@Nullable Object> arguments) {

		public ReplayAttempt {
			arguments = Collections.unmodifiableList(new ArrayList<>(arguments));
		}

	}

}
