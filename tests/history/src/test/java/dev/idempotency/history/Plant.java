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
package dev.idempotency.history;

import dev.idempotency.history.Faults.Fault;

/**
 * Defects that a node gets by the property {@value #PROPERTY}.
 */
enum Plant {

	/**
	 * An answer in six is sent as if it was stored, and is not.
	 */
	ANSWER_NOT_STORED(Fault.KILL_NODE),

	/**
	 * A success in six is sent, and its transaction was rolled back.
	 */
	NOTHING_COMMITTED(Fault.KILL_NODE),

	/**
	 * An answer is sent before the commit that stores it.
	 */
	ANSWER_BEFORE_COMMIT(Fault.COMMIT_LOST),

	/**
	 * The owner of a lease does not check whether it still has it.
	 */
	FENCE_IGNORED(Fault.TAKE_OVER_LATE),

	/**
	 * Leases are not extended.
	 */
	HEARTBEATS_STOPPED(Fault.KILL_NODE),

	/**
	 * A request whose claim fails with an exception is executed without a claim.
	 */
	CLAIM_SKIPPED(Fault.CUT_DATABASE),

	/**
	 * Operators neither see committed effects nor are they stopped by them.
	 */
	ABANDON_BLIND(Fault.ABANDON_LATE);

	static final String PROPERTY = "history.plant";

	private final Fault fault;

	Plant(Fault fault) {
		this.fault = fault;
	}

	/**
	 * The fault that shows it.
	 */
	Fault fault() {
		return this.fault;
	}

}
