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

package dev.idempotency.benchmarks.load;

import java.util.Collection;
import java.util.List;
import java.util.Locale;

/**
 * The spread of a set of figures.
 *
 * @param min the smallest
 * @param median the middle one
 * @param max the largest
 */
public record Spread(double min, double median, double max) {

	public static Spread of(Collection<Double> figures) {
		List<Double> sorted = figures.stream().sorted().toList();
		int middle = sorted.size() / 2;
		double median = (sorted.size() % 2 == 1) ? sorted.get(middle)
				: (sorted.get(middle - 1) + sorted.get(middle)) / 2;
		return new Spread(sorted.get(0), median, sorted.get(sorted.size() - 1));
	}

	@Override
	public String toString() {
		return String.format(Locale.ROOT, "%.2f (%.2f - %.2f)", this.median, this.min, this.max);
	}

}
