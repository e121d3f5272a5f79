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

import dev.idempotency.conformance.fuzz.Violation.Kind;

/**
 * Defects that are planted into a running server, each with a case that shows it and with
 * the kind of violation that has to be found.
 */
enum Plant {

	/**
	 * An operation that nothing enforces: each delivery is executed.
	 */
	NOTHING_ENFORCED(Kind.REPLAY, Cases.PLAIN),

	/**
	 * The claim does not keep others out.
	 */
	CLAIM_FOR_ALL(Kind.IN_FLIGHT, Cases.PLAIN),

	/**
	 * The answer is taken for stored, and is not.
	 */
	FORGOTTEN_RECORD(Kind.REPLAY, Cases.LEASED),

	/**
	 * A lease and its record stay together.
	 */
	LEASE_BESIDE_RECORD(Kind.LEFT_BEHIND, Cases.LEASED),

	/**
	 * The claim of a request that has failed is not given back.
	 */
	LOST_RELEASE(Kind.FIRST_ANSWER, Cases.LEASED_FAILURE),

	/**
	 * A claim is refused with 503 although it is free.
	 */
	REFUSED_CLAIM(Kind.FIRST_ANSWER, Cases.LEASED),

	/**
	 * A step that is done is not remembered.
	 */
	FORGOTTEN_STEP(Kind.ROWS, Cases.PHASES_FAILURE),

	/**
	 * The rows of a failed attempt are committed, apart from its answer.
	 */
	COMMIT_FOR_ROLLBACK(Kind.ROWS, Cases.FAILURE),

	/**
	 * A success is sent and stored for rows that were rolled back.
	 */
	SUCCESS_OF_ROLLED_BACK_ROWS(Kind.ROWS, Cases.PLAIN),

	/**
	 * One execution has its effect twice.
	 */
	DOUBLED_EFFECT(Kind.ROWS, Cases.PLAIN),

	/**
	 * A failure that will pass is stored.
	 */
	EVERYTHING_FINAL(Kind.FIRST_ANSWER, Cases.FAILURE),

	/**
	 * A final answer is not stored.
	 */
	NOTHING_FINAL(Kind.REPLAY, Cases.DECLINED),

	/**
	 * A replay is not marked.
	 */
	UNMARKED_REPLAY(Kind.REPLAY, Cases.PLAIN),

	/**
	 * A replay has no body.
	 */
	EMPTY_REPLAY(Kind.REPLAY, Cases.PLAIN),

	/**
	 * A replay has lost a header.
	 */
	LOST_HEADER(Kind.REPLAY, Cases.PLAIN),

	/**
	 * A replay has another status.
	 */
	OTHER_STATUS(Kind.REPLAY, Cases.PLAIN),

	/**
	 * The first answer is not the handler's own.
	 */
	CHANGED_FIRST_ANSWER(Kind.FIRST_ANSWER, Cases.PLAIN),

	/**
	 * A refused duplicate is not told when to come back.
	 */
	NO_RETRY_AFTER(Kind.IN_FLIGHT, Cases.PLAIN),

	/**
	 * A transaction stays on the container's thread.
	 */
	OPEN_TRANSACTION(Kind.THREAD, Cases.PLAIN),

	/**
	 * A connection is not given back.
	 */
	LEAKED_CONNECTION(Kind.LEFT_BEHIND, Cases.PLAIN),

	/**
	 * A lock stays with a connection that was given back.
	 */
	LEAKED_LOCK(Kind.LEFT_BEHIND, Cases.PLAIN);

	private final Kind kind;

	private final String shownBy;

	Plant(Kind kind, String shownBy) {
		this.kind = kind;
		this.shownBy = shownBy;
	}

	Kind kind() {
		return this.kind;
	}

	/**
	 * Returns whether only a new server is free of it.
	 */
	boolean isLasting() {
		return switch (this) {
			case LEASE_BESIDE_RECORD, LOST_RELEASE, OPEN_TRANSACTION, LEAKED_CONNECTION, LEAKED_LOCK -> true;
			default -> false;
		};
	}

	FuzzCase shownBy() {
		return FuzzCase.parse(this.shownBy);
	}

	/**
	 * Cases that hold without a plant.
	 */
	static final class Cases {

		static final String PLAIN = "TRANSACTIONAL/NOWHERE/ENTITY/AT_ONCE/FIRST/SERVICE/RETURN_201/AFTER_WRITE/JSON/NONE";

		static final String FAILURE = "TRANSACTIONAL/NOWHERE/ENTITY/AT_ONCE/FIRST/SERVICE/THROW_STATUS_503/AFTER_WRITE/JSON/NONE";

		static final String DECLINED = "TRANSACTIONAL/NOWHERE/ENTITY/AT_ONCE/FIRST/SERVICE/THROW_ADVISED_402/AFTER_WRITE/JSON/NONE";

		static final String LEASED = "LEASED/NOWHERE/ENTITY/AT_ONCE/FIRST/SERVICE/RETURN_201/AFTER_WRITE/JSON/NONE";

		static final String LEASED_FAILURE = "LEASED/NOWHERE/ENTITY/AT_ONCE/FIRST/SERVICE/THROW_STATUS_503/AFTER_WRITE/JSON/NONE";

		static final String PHASES_FAILURE = "PHASES/NOWHERE/ENTITY/AT_ONCE/FIRST/SERVICE/THROW_STATUS_503/AFTER_WRITE/JSON/NONE";

		private Cases() {
		}

	}

}
