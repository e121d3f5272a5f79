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

import java.util.ArrayList;
import java.util.List;

import org.springframework.transaction.annotation.Isolation;

/**
 * The settings of an application that cases run in.
 *
 * @param openInView whether the session is open in view
 * @param isolation the isolation of transactions that do not choose one
 */
record FuzzSetting(boolean openInView, Isolation isolation) {

	static final FuzzSetting DEFAULT = new FuzzSetting(true, Isolation.READ_COMMITTED);

	static List<FuzzSetting> all() {
		List<FuzzSetting> all = new ArrayList<>();
		for (Isolation isolation : List.of(Isolation.READ_COMMITTED, Isolation.REPEATABLE_READ,
				Isolation.SERIALIZABLE)) {
			all.add(new FuzzSetting(true, isolation));
			all.add(new FuzzSetting(false, isolation));
		}
		return all;
	}

	static FuzzSetting parse(String text) {
		return all().stream()
			.filter((setting) -> setting.toString().equals(text))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException(text + " is none of " + all()));
	}

	/**
	 * Returns whether the contract decides the outcome of a case. Above READ COMMITTED
	 * two transactions of one LEASED request that run at the same time may meet in a
	 * conflict (40001), since each confirms the lease, and the delivery is to be repeated
	 * (ADR 17): the handler's own, and one that its future or deferred result has begun.
	 */
	boolean decides(FuzzCase fuzz) {
		boolean isOwnTransaction = fuzz.protection() == Protection.LEASED && fuzz.placement() != Placement.NOWHERE;
		boolean isConcurrent = fuzz.place() == Place.LAST && fuzz.writes() != Writes.NOTHING
				&& fuzz.writes() != Writes.PLAIN && (fuzz.shape() == Shape.FUTURE || fuzz.shape() == Shape.DEFERRED);
		// Two transactions of the handler that both confirm the lease, none of which ends
		// it
		boolean isNested = fuzz.place() == Place.FIRST && fuzz.writes() == Writes.REQUIRES_NEW && !refusesNested(fuzz);
		return this.isolation == Isolation.READ_COMMITTED || !isOwnTransaction || !(isConcurrent || isNested);
	}

	/**
	 * Returns whether a handler is refused that begins a transaction beside its own one,
	 * which holds the lease until it ends (ADR 17). One that fails before has not shown
	 * it, and what another thread writes does not run beside it for certain.
	 */
	boolean refusesNested(FuzzCase fuzz) {
		return this.isolation != Isolation.READ_COMMITTED && fuzz.protection() == Protection.LEASED
				&& fuzz.placement() != Placement.NOWHERE && !fuzz.shape().isDeclaredAsync()
				&& fuzz.place() == Place.FIRST && fuzz.writes() == Writes.REQUIRES_NEW
				&& fuzz.point() != Point.BEFORE_WRITE;
	}

	@Override
	public String toString() {
		return (this.openInView ? "open-in-view" : "no-open-in-view") + ":" + this.isolation;
	}

}
