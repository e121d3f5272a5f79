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
 * How a protected operation is executed.
 */
public enum Mode {

	/**
	 * What {@code idempotency.mode} says.
	 */
	DEFAULT,

	/**
	 * The business rows and the answer commit together, in one transaction. For
	 * operations whose effects are rows in the database that holds the records.
	 */
	TRANSACTIONAL,

	/**
	 * A committed claim with a lease comes before the execution. For operations that call
	 * other systems, run long or answer asynchronously.
	 * <p>
	 * No transaction is open around the handler. One that is {@code @Transactional}
	 * itself commits its rows and its answer together. Of any other each transaction
	 * commits by itself, under the condition that the lease is still held: a handler that
	 * fails after one of them is executed again by the next delivery, and one that dies
	 * after one of them is not.
	 * <p>
	 * The condition is checked in transactions of Spring's alone. What is written outside
	 * of them, such as by a {@code JdbcTemplate} in auto-commit mode, is like a call of
	 * another system: it is neither undone nor kept from being made again, and an owner
	 * that was paused past its lease still makes it.
	 * <p>
	 * The condition holds for transactions on the threads that work for the request: its
	 * own, those of {@code Callable} and {@code WebAsyncTask}, of {@code @Async} and of
	 * whatever runs on an executor that Spring Boot has made. A thread that the
	 * application makes itself, or borrows from {@code ForkJoinPool.commonPool()} as
	 * {@code CompletableFuture.supplyAsync} without an executor does, is not known to
	 * belong to the request: what it commits after the lease was lost stays. Pass the
	 * {@code applicationTaskExecutor}, or set the {@code TaskDecorator} beans on an
	 * executor of your own.
	 */
	LEASED

}
