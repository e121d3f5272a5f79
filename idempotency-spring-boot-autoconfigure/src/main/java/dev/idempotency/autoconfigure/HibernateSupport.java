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
package dev.idempotency.autoconfigure;

import org.hibernate.Version;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

import dev.idempotency.InvalidIdempotentException;

/**
 * Whether the store can work with this Hibernate. With an older one the first request
 * would fail, and with an error that tells nobody why.
 */
final class HibernateSupport {

	/**
	 * What the youngest is of all that the store calls.
	 */
	private static final String NEEDED = "org.hibernate.engine.spi.TransactionCompletionCallbacks";

	private HibernateSupport() {
	}

	/**
	 * Refuse to start with a Hibernate that is too old.
	 * @param classLoader where Hibernate is
	 */
	static void require(@Nullable ClassLoader classLoader) {
		if (!ClassUtils.isPresent(NEEDED, classLoader)) {
			throw new InvalidIdempotentException(
					"Hibernate " + Version.getVersionString() + " is too old for the store of idempotency records.",
					"Use Spring Boot 4.0.6 or newer, which brings Hibernate 7.2 or newer. If your build sets the "
							+ "version of Hibernate itself, remove that.");
		}
	}

}
