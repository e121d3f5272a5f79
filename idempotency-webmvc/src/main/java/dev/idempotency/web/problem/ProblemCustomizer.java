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
package dev.idempotency.web.problem;

import org.springframework.http.ProblemDetail;

import dev.idempotency.exception.IdempotencyException;

/**
 * A callback that changes the problem details that the library answers with: it can add
 * members ({@link ProblemDetail#setProperty}) or replace title and detail. Declared as a
 * bean; all beans of the type are called, in their order, after the texts of the
 * {@link org.springframework.context.MessageSource} were applied.
 */
@FunctionalInterface
public interface ProblemCustomizer {

	/**
	 * Customizes a problem. The status stays as the problem's type has it, regardless of
	 * changes. An exception that is thrown here fails the request.
	 * @param problem the problem, which is changed in place
	 * @param exception the answered exception, which names the cause to the application
	 * alone
	 */
	void customize(ProblemDetail problem, IdempotencyException exception);

}
