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
package dev.idempotency.phase;

import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.IllegalTransactionStateException;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.IdempotencyRequest;
import dev.idempotency.exception.KeyReusedException;
import dev.idempotency.exception.RequestInProgressException;
import dev.idempotency.exception.RequestInterruptedException;

/**
 * Runs work in phases outside a protected handler: in a service, a scheduled task or a
 * message listener. The counterpart of {@link IdempotencyOperations} for work that cannot
 * be one transaction. After an interruption the caller has to call it again: such work is
 * not stored as a command, so the completer does not repeat it.
 */
public interface PhaseOperations {

	/**
	 * Executes work in phases, or returns the result of its first execution.
	 * @param request the request: operation, key and content
	 * @param type the type of the return value, which Jackson reads and writes
	 * @param work the work; may be called several times, and does nothing outside its
	 * phases
	 * @param <T> the type of the return value
	 * @return the return value, of this execution or of the first
	 * @throws IllegalTransactionStateException if a transaction is open
	 * @throws KeyReusedException if the key was used for other content
	 * @throws RequestInProgressException if the request is being executed elsewhere
	 * @throws RequestInterruptedException on a transient failure; call again with the
	 * same request
	 */
	<T extends @Nullable Object> T execute(IdempotencyRequest request, Class<T> type,
			Function<Phases, ? extends T> work);

}
