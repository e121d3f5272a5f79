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

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.idempotency.conformance.faults.History.Success;

/**
 * Holds what clients have seen against what is in the database.
 */
final class HistoryChecker {

	/**
	 * A promise that was broken.
	 */
	enum Kind {

		/** A success whose effect does not exist. */
		LOST_EFFECT,

		/** A key with more than one effect. */
		DOUBLED_EFFECT,

		/** An effect that no key was sent for. */
		STRAY_EFFECT,

		/** Two successes for one key that differ. */
		CHANGED_ANSWER,

		/** Two successes for one key that both say that they were executed. */
		TWO_ORIGINALS

	}

	/**
	 * A broken promise.
	 *
	 * @param kind which one
	 * @param key the key
	 */
	record Violation(Kind kind, String key) {
	}

	private HistoryChecker() {
	}

	/**
	 * Checks a history.
	 * @param history what clients have seen
	 * @param effects the ids of all effects by their key
	 * @return the broken promises
	 */
	static List<Violation> check(History history, Map<String, List<String>> effects) {
		List<Violation> violations = new ArrayList<>();
		effects.forEach((key, ids) -> {
			if (ids.size() > 1) {
				violations.add(new Violation(Kind.DOUBLED_EFFECT, key));
			}
			if (!history.sent().contains(key)) {
				violations.add(new Violation(Kind.STRAY_EFFECT, key));
			}
		});
		Map<String, String> bodies = new HashMap<>();
		Set<String> originals = new HashSet<>();
		for (Success success : history.successes()) {
			String key = success.key();
			if (!bodies.computeIfAbsent(key, (absent) -> success.body()).equals(success.body())) {
				violations.add(new Violation(Kind.CHANGED_ANSWER, key));
			}
			if (!success.replayed() && !originals.add(key)) {
				violations.add(new Violation(Kind.TWO_ORIGINALS, key));
			}
			if (effects.getOrDefault(key, List.of()).stream().noneMatch(success.body()::contains)) {
				violations.add(new Violation(Kind.LOST_EFFECT, key));
			}
		}
		return violations;
	}

}
