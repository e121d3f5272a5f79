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
package dev.idempotency.testsupport;

import java.util.Arrays;
import java.util.Locale;

/**
 * The databases that tests run on.
 */
public enum DatabaseKind {

	/**
	 * PostgreSQL, from binaries on the class path or in a container.
	 */
	POSTGRESQL,

	/**
	 * H2 in its regular mode, in the JVM of the tests.
	 */
	H2,

	/**
	 * H2 in its PostgreSQL mode, in the JVM of the tests.
	 */
	H2_POSTGRESQL;

	/**
	 * The system property that chooses the database of those tests that run on any.
	 */
	static final String PROPERTY = "idempotency.test.database";

	/**
	 * The database of those tests that run on any.
	 * @return what the system property {@code idempotency.test.database} says
	 */
	public static DatabaseKind chosen() {
		String chosen = System.getProperty(PROPERTY, "");
		return Arrays.stream(values())
			.filter((kind) -> kind.propertyValue().equals(chosen))
			.findFirst()
			.orElse(POSTGRESQL);
	}

	/**
	 * Returns the value of the system property for this kind.
	 * @return the value
	 */
	public String propertyValue() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
