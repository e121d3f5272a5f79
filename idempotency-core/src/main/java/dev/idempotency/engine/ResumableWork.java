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

import dev.idempotency.exception.RequestInterruptedException;

/**
 * Work of a leased run that stores its progress. The next run resumes from it.
 */
public interface ResumableWork {

	/**
	 * Returns whether the outcome of its last commit is unknown. Until it is known, no
	 * transaction of the run commits.
	 * @return {@code true} until the database has decided
	 */
	boolean isInDoubt();

	/**
	 * Resolves the outcome of its last commit, and refuses an answer while that of an
	 * external call is unknown.
	 * @throws RequestInterruptedException if there is such a call
	 */
	void requireAnswerable();

	/**
	 * Decides, after a pause, whether the work begins again at its first step because its
	 * last one conflicted with another transaction. Completed steps are not repeated.
	 * @return {@code false} if that was tried often enough
	 */
	boolean mayRepeat();

	/**
	 * Creates the exception for work that cannot continue now.
	 * @param cause the transient failure
	 */
	RequestInterruptedException interrupted(Throwable cause);

}
