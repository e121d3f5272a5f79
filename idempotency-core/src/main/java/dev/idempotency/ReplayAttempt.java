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
 * A replay that is about to happen.
 *
 * @param operation the operation
 * @param account the caller, who owns the stored answer
 * @param arguments the arguments of the annotated method, resolved and validated as for
 * the first request; for {@link IdempotencyOperations} the content of the request.
 * Unmodifiable, with {@code null} elements where an argument is {@code null}
 */
public record ReplayAttempt(IdempotentOperation operation, Account account, List<@Nullable Object> arguments) {

	public ReplayAttempt {
		arguments = Collections.unmodifiableList(new ArrayList<>(arguments));
	}

}
