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

import java.lang.reflect.Type;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.idempotency.exception.KeyReusedException;
import dev.idempotency.exception.NotReplayableException;
import dev.idempotency.exception.RequestInProgressException;
import dev.idempotency.exception.StoreUnavailableException;

/**
 * The programmatic equivalent of {@link Idempotent}: runs a piece of work once for each
 * key and returns the first return value to every caller.
 * <p>
 * The work runs in the caller's transaction if there is one, otherwise in a separate one.
 * Its effects and its return value commit together. Any exception, checked or not, rolls
 * back and is not stored. A caller's transaction that is read-only, or has ended and is
 * running its callbacks, is refused before the work runs.
 * <p>
 * The return value is stored as JSON by its declared type. A value that would be read
 * differently (a subclass, an ignored property) causes an {@link IllegalStateException}
 * and a rollback.
 */
public interface IdempotencyOperations {

	/**
	 * Runs the work, or returns the result of its first execution.
	 * @param request the operation, the key and the content
	 * @param type the type of the return value, for reading it back from JSON
	 * @param work the work
	 * @param <T> the type of the return value
	 * @return the result of this or the first execution; {@code null} if that was
	 * {@code null}
	 * @throws KeyReusedException if the key was used for another request
	 * @throws RequestInProgressException if another caller is running it
	 * @throws NotReplayableException if it was executed, and its return value cannot be
	 * read
	 * @throws StoreUnavailableException if the store cannot be reached
	 */
	<T> @Nullable T execute(IdempotencyRequest request, Class<T> type, Supplier<? extends @Nullable T> work);

	/**
	 * Runs the work as {@link #execute(IdempotencyRequest, Class, Supplier)} does, for
	 * generic types.
	 * @param request the operation, the key and the content
	 * @param type the type of the return value
	 * @param work the work
	 * @return the result of this or the first execution
	 */
	@Nullable Object execute(IdempotencyRequest request, Type type, Supplier<? extends @Nullable Object> work);

}
