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

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;

/**
 * Clients that each send one request after the other, on a connection that is kept open.
 */
public interface Load extends AutoCloseable {

	/**
	 * Sends requests of a variant for some time.
	 * @param variant the variant
	 * @param duration the duration
	 * @return the measurements
	 * @throws IllegalStateException if a reply is not as the variant expects
	 */
	Sample run(Variant variant, Duration duration);

	/**
	 * Sends requests of some variants in turns, so that the compiler sees all of them
	 * before it decides.
	 * @param variants the variants
	 * @param each the time that each of them runs in all
	 */
	default void warmUp(Collection<Variant> variants, Duration each) {
		int turns = 4;
		for (int i = 0; i < turns; i++) {
			variants.forEach((variant) -> run(variant, each.dividedBy(turns)));
		}
	}

	@Override
	void close() throws IOException;

}
