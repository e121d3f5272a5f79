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
package dev.idempotency.conformance.faults;

/**
 * The places where a node stops permanently, or until it is resumed: between the actions
 * of the library, seen from the outside.
 */
enum StopPoint {

	/** In front of the claim. */
	BEFORE_CLAIM,

	/** The claim is made; of a LEASED request it is committed. */
	AFTER_CLAIM,

	/** In the handler, before it has done anything. */
	IN_HANDLER,

	/**
	 * In the handler, its effect written and, without a transaction around, committed.
	 */
	AFTER_EFFECT,

	/** The answer is about to be given to the store. */
	BEFORE_FINISH,

	/**
	 * The store has the answer; within a transaction it is not yet committed, or not even
	 * sent where it goes with the COMMIT.
	 */
	AFTER_FINISH,

	/** The transaction is committed. */
	AFTER_COMMIT,

	/** Everything is durable, and nothing is sent. */
	BEFORE_FIRST_BYTE

}
