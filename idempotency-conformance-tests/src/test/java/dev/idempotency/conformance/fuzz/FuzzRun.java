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

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Runs cases in one setting. After a violation the server is replaced: what it has left
 * behind is not the next case's fault.
 */
final class FuzzRun implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private final FuzzSetting setting;

	private @Nullable FuzzServer server;

	private final List<String> failures = new ArrayList<>();

	FuzzRun(FuzzSetting setting) {
		this.setting = setting;
	}

	void run(FuzzCase fuzz) {
		List<Violation> violations = violations(fuzz);
		if (!violations.isEmpty()) {
			FuzzCase simplest = simplify(fuzz);
			List<Violation> left = simplest.equals(fuzz) ? violations : violations(simplest);
			this.failures.add(this.setting + "/" + simplest + " (found by " + fuzz + ")\n\t"
					+ String.join("\n\t",
							(left.isEmpty() ? violations : left).stream().map(Violation::toString).toList())
					+ "\n\tReproduce: ./mvnw test -pl idempotency-conformance-tests -am -Dtest=FuzzTests "
					+ "-Dsurefire.failIfNoSpecifiedTests=false -Dsurefire.failIfNoTests=false -Dfuzz.case="
					+ this.setting + "/" + simplest);
		}
	}

	List<String> failures() {
		return this.failures;
	}

	/**
	 * Replace each value by the first of its dimension, as long as the case still fails.
	 */
	private FuzzCase simplify(FuzzCase failing) {
		FuzzCase simplest = failing;
		for (int i = 1; i < FuzzCase.DIMENSIONS.size(); i++) {
			List<Enum<?>> values = new ArrayList<>(simplest.values());
			values.set(i, FuzzCase.DIMENSIONS.get(i).get(0));
			FuzzCase simpler = FuzzCase.of(values);
			if (!simpler.equals(simplest) && simpler.isPossible() && !violations(simpler).isEmpty()) {
				simplest = simpler;
			}
		}
		return simplest;
	}

	private List<Violation> violations(FuzzCase fuzz) {
		if (this.server == null) {
			this.server = FuzzServer.start(this.setting, PATIENCE);
		}
		List<Violation> violations = CaseRunner.run(this.server, fuzz);
		if (!violations.isEmpty()) {
			close();
		}
		return violations;
	}

	@Override
	public void close() {
		if (this.server != null) {
			this.server.close();
			this.server = null;
		}
	}

}
