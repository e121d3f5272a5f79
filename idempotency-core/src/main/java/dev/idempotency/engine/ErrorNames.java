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
package dev.idempotency.engine;

import java.util.StringJoiner;

import org.jspecify.annotations.Nullable;

import dev.idempotency.exception.SenderRefusedException;

/**
 * The part of a failure that operators may see: the names of its exceptions. Messages may
 * quote the request, except the reason of a refused sender.
 */
public final class ErrorNames {

	private static final int DEPTH = 5;

	private ErrorNames() {
	}

	/**
	 * Returns the names of an exception and its causes.
	 * @param failure the exception
	 * @return the names, the outermost first; {@code null} without an exception
	 */
	public static @Nullable String of(@Nullable Throwable failure) {
		if (failure == null) {
			return null;
		}
		StringJoiner names = new StringJoiner(" < ");
		Throwable current = failure;
		for (int depth = 0; current != null && depth < DEPTH; depth++) {
			names.add((current instanceof SenderRefusedException refused)
					? refused.getClass().getName() + ": " + refused.getMessage() : current.getClass().getName());
			current = current.getCause();
		}
		return names.toString();
	}

}
