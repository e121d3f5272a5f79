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

package dev.idempotency.conformance.fuzz;

/**
 * The contract's expectation of a case, written from the contract and not from the code.
 */
final class Expectation {

	private final FuzzCase fuzz;

	private final FuzzSetting setting;

	Expectation(FuzzCase fuzz, FuzzSetting setting) {
		this.fuzz = fuzz;
		this.setting = setting;
	}

	/**
	 * Returns whether an answer ends the request: any success, and client errors other
	 * than 408, 425 and 429.
	 */
	static boolean isFinal(int status) {
		return status < 500 && status != 408 && status != 425 && status != 429;
	}

	/**
	 * Returns whether the handler cannot be protected in its mode, and is refused with a
	 * 500 when that shows: it answers asynchronously within a transaction or phases.
	 */
	boolean isRefused() {
		if (isRefusedBeforeItWrites()) {
			return true;
		}
		if (!this.fuzz.answering().isAsync()) {
			return false;
		}
		return switch (this.fuzz.protection()) {
			case UNPROTECTED -> false;
			case TRANSACTIONAL, PHASES -> true;
			// A LEASED handler that is @Transactional commits once, unless it says that
			// it
			// answers on another thread.
			case LEASED -> this.fuzz.placement() != Placement.NOWHERE && !this.fuzz.shape().isDeclaredAsync();
		};
	}

	/**
	 * Returns whether the refusal comes before anything is written: no row stays, of
	 * whichever transaction.
	 */
	boolean isRefusedBeforeItWrites() {
		return this.setting.refusesNested(this.fuzz);
	}

	/**
	 * Returns whether a refusal is as good as an execution: a library cannot detect the
	 * end of a thread that the handler starts itself.
	 */
	boolean mayBeRefused() {
		return this.fuzz.answering().isRaw();
	}

	/**
	 * Returns whether rows and answer are one commit.
	 */
	boolean isOneCommit() {
		return switch (this.fuzz.protection()) {
			case UNPROTECTED -> false;
			case TRANSACTIONAL -> true;
			case LEASED -> this.fuzz.placement() != Placement.NOWHERE && !this.fuzz.shape().isDeclaredAsync();
			case PHASES -> this.fuzz.place() == Place.LAST;
		};
	}

	/**
	 * Returns whether the first attempt has swallowed the failure of a transaction that
	 * is part of the one commit: an error, regardless of the handler's result.
	 */
	boolean isPoisoned() {
		return this.fuzz.point() == Point.SWALLOWED && isOneCommit() && this.fuzz.writes() != Writes.REQUIRES_NEW;
	}

	/**
	 * Returns whether the answer is stored in a second transaction, after the rollback of
	 * the first: another delivery may have executed in between, whose effects are rolled
	 * back as well (ADR 4).
	 */
	boolean isStoredAfterRollback() {
		return this.fuzz.protection() == Protection.TRANSACTIONAL && this.fuzz.ending().kind() != Ending.Kind.RETURN
				&& this.fuzz.ending().status() >= 400;
	}

	/**
	 * The rows that the first attempt leaves behind.
	 */
	int rowsOfFirst() {
		return isWritten() && isCommitted() ? 1 : 0;
	}

	/**
	 * The rows that a successful attempt leaves behind.
	 */
	int rowsOfSuccess() {
		return (this.fuzz.writes() != Writes.NOTHING) ? 1 : 0;
	}

	/**
	 * Returns whether the step that writes is done once, regardless of the number of
	 * attempts.
	 */
	boolean isWrittenInStep() {
		return this.fuzz.protection() == Protection.PHASES && this.fuzz.place() == Place.FIRST;
	}

	private boolean isWritten() {
		return this.fuzz.writes() != Writes.NOTHING && this.fuzz.point() != Point.BEFORE_WRITE;
	}

	private boolean isCommitted() {
		if (this.fuzz.writes() == Writes.DEFERRED_VIOLATION) {
			return false;
		}
		boolean failsInWrite = this.fuzz.point() == Point.IN_SERVICE || this.fuzz.point() == Point.SWALLOWED;
		if (this.fuzz.writes() == Writes.REQUIRES_NEW) {
			// A separate transaction does not belong to the one commit
			return !failsInWrite || isCheckedException();
		}
		if (isOneCommit()) {
			// Returned errors commit with their answer, thrown and sent ones do not.
			return isFinal(this.fuzz.ending().status()) && !failsInWrite
					&& (this.fuzz.ending().kind() == Ending.Kind.RETURN || this.fuzz.ending().status() < 400);
		}
		return !failsInWrite || isFailedWriteCommitted();
	}

	/**
	 * Without one commit around it a write that fails is what Spring makes of it: rolled
	 * back with its transaction, but not by a checked exception. Outside of the service
	 * that is none any more: its proxy wraps what the method does not declare.
	 */
	private boolean isFailedWriteCommitted() {
		if (isWrittenInStep()) {
			return false;
		}
		boolean isHandlers = this.fuzz.place() == Place.FIRST && this.fuzz.placement() != Placement.NOWHERE;
		return !isHandlers && (this.fuzz.writes() == Writes.PLAIN || isCheckedException());
	}

	private boolean isCheckedException() {
		return this.fuzz.ending() == Ending.THROW_CHECKED && this.fuzz.point() != Point.SWALLOWED;
	}

}
