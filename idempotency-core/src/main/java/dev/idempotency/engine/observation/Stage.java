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
package dev.idempotency.engine.observation;

/**
 * The parts of a request's way through the engine that can be observed.
 */
public enum Stage {

	/**
	 * The decision whether the request may run.
	 */
	CLAIM,

	/**
	 * The work itself, until its answer is there or it has failed. Requests in phases
	 * have their phases instead.
	 */
	RUN,

	/**
	 * A phase in a separate transaction, retries included. The last one ends with the
	 * work: its commit is part of {@link #FINISH}.
	 */
	ATOMIC,

	/**
	 * A phase outside all transactions, until its result is stored.
	 */
	FOREIGN,

	/**
	 * The storage of the answer, and the commit.
	 */
	FINISH,

	/**
	 * The replay of a stored answer.
	 */
	REPLAY,

	/**
	 * An attempt to run a staged job.
	 */
	JOB,

	/**
	 * An attempt of the completer to complete a request.
	 */
	RECOVER

}
