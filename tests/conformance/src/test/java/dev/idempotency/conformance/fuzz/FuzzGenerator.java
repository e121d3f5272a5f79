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

import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Draws cases by a seed. Of some that are drawn the one is taken that shows the most
 * pairs of values which no case before it has shown.
 */
final class FuzzGenerator {

	private static final int CANDIDATES = 12;

	private final FuzzSetting setting;

	private final Random random;

	private final Set<Set<Enum<?>>> pairs = new HashSet<>();

	FuzzGenerator(FuzzSetting setting, long seed) {
		this.setting = setting;
		this.random = new Random(seed);
	}

	FuzzCase next() {
		FuzzCase best = draw();
		int gain = gain(best);
		for (int i = 1; i < CANDIDATES; i++) {
			FuzzCase candidate = draw();
			int candidateGain = gain(candidate);
			if (candidateGain > gain) {
				best = candidate;
				gain = candidateGain;
			}
		}
		this.pairs.addAll(pairs(best));
		return best;
	}

	int pairs() {
		return this.pairs.size();
	}

	private FuzzCase draw() {
		while (true) {
			FuzzCase drawn = FuzzCase.of(FuzzCase.DIMENSIONS.stream().map(this::pick).toList());
			if (drawn.isPossible() && this.setting.decides(drawn)) {
				return drawn;
			}
		}
	}

	private Enum<?> pick(List<? extends Enum<?>> values) {
		return values.get(this.random.nextInt(values.size()));
	}

	private int gain(FuzzCase candidate) {
		Set<Set<Enum<?>>> shown = pairs(candidate);
		shown.removeAll(this.pairs);
		return shown.size();
	}

	private static Set<Set<Enum<?>>> pairs(FuzzCase candidate) {
		List<Enum<?>> values = candidate.values();
		Set<Set<Enum<?>>> pairs = new HashSet<>();
		for (int i = 0; i < values.size(); i++) {
			for (int j = i + 1; j < values.size(); j++) {
				pairs.add(Set.of(values.get(i), values.get(j)));
			}
		}
		return pairs;
	}

}
