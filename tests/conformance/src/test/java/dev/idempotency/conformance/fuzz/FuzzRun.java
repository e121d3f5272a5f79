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
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import dev.idempotency.conformance.fuzz.Violation.Kind;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Runs cases in one setting. A server that has left something behind is replaced: that is
 * not the next case's fault.
 */
final class FuzzRun implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(FuzzRun.class);

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	/**
	 * Time limit after something was left behind.
	 */
	private static final Duration IMPATIENCE = Duration.ofSeconds(3);

	private static final Set<Kind> LASTING = EnumSet.of(Kind.LEFT_BEHIND, Kind.THREAD, Kind.IN_FLIGHT);

	private final FuzzSetting setting;

	private final boolean isSimplifying;

	private @Nullable FuzzServer server;

	private final List<String> failures = new ArrayList<>();

	/**
	 * Creates a run.
	 * @param setting the setting
	 * @param isSimplifying whether a case that fails is made as simple as it can be
	 */
	FuzzRun(FuzzSetting setting, boolean isSimplifying) {
		this.setting = setting;
		this.isSimplifying = isSimplifying;
	}

	void run(FuzzCase fuzz) {
		List<Violation> violations = violations(fuzz, PATIENCE);
		if (!violations.isEmpty()) {
			FuzzCase simplest = this.isSimplifying ? simplify(fuzz) : fuzz;
			String failure = this.setting + "/" + simplest + ", found by " + fuzz + ":\n\t"
					+ violations.stream().map(Violation::toString).collect(Collectors.joining("\n\t"))
					+ "\n\tReproduce: ./mvnw test -pl tests/conformance -am -Dtest=FuzzTests "
					+ "-Dsurefire.failIfNoSpecifiedTests=false -Dsurefire.failIfNoTests=false -Dfuzz.case="
					+ this.setting + "/" + simplest;
			logger.error(failure);
			this.failures.add(failure);
		}
	}

	List<String> failures() {
		return this.failures;
	}

	/**
	 * Replaces each value by the first of its dimension, as long as the case still fails.
	 */
	private FuzzCase simplify(FuzzCase failing) {
		FuzzCase simplest = failing;
		for (int i = 1; i < FuzzCase.DIMENSIONS.size(); i++) {
			List<Enum<?>> values = new ArrayList<>(simplest.values());
			values.set(i, FuzzCase.DIMENSIONS.get(i).get(0));
			FuzzCase simpler = FuzzCase.of(values);
			if (!simpler.equals(simplest) && simpler.isPossible() && this.setting.decides(simpler)
					&& !violations(simpler, IMPATIENCE).isEmpty()) {
				simplest = simpler;
			}
		}
		return simplest;
	}

	private List<Violation> violations(FuzzCase fuzz, Duration patience) {
		if (this.server == null) {
			this.server = FuzzServer.start(this.setting);
		}
		List<Violation> violations = CaseRunner.run(this.server, fuzz, patience);
		if (violations.stream().map(Violation::kind).anyMatch(LASTING::contains)) {
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
