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
package dev.idempotency.test;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The counts of the probes at a moment.
 *
 * @param probes the probes by their names
 * @param counts their counts
 */
record EffectCounts(Map<String, EffectProbe> probes, Map<String, Long> counts) {

	static EffectCounts of(Map<String, EffectProbe> probes) {
		Map<String, Long> counts = new TreeMap<>();
		probes.forEach((name, probe) -> counts.put(name, probe.count()));
		return new EffectCounts(probes, counts);
	}

	/**
	 * Returns the changes since then, one line for each probe.
	 */
	List<String> differences() {
		return of(this.probes).counts()
			.entrySet()
			.stream()
			.filter((now) -> !now.getValue().equals(this.counts.get(now.getKey())))
			.map((now) -> "effects: " + now.getKey() + " counted " + this.counts.get(now.getKey())
					+ " before the second delivery and " + now.getValue() + " after it")
			.toList();
	}

}
