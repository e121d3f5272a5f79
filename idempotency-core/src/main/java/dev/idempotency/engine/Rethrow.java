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

/**
 * Rethrows checked exceptions from methods that do not declare them.
 */
public final class Rethrow {

	private Rethrow() {
	}

	/**
	 * Throws an exception unchanged.
	 * @param ex the exception, checked or not
	 * @param <E> inferred as unchecked
	 * @return never, declared for the compiler
	 * @throws E the exception
	 */
	@SuppressWarnings("unchecked")
	public static <E extends Throwable> RuntimeException unchecked(Throwable ex) throws E {
		throw (E) ex;
	}

}
