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

import org.springframework.boot.context.properties.bind.DefaultValue;

import static dev.idempotency.autoconfigure.PropertyRules.require;

/**
 * The tables.
 *
 * @param management Management of the tables: flyway migrates them, validate checks that
 * they are there, none does neither.
 * @param partitions Number of hash partitions of the table of answers, where flyway
 * creates it; 1 for a plain table.
 */
record SchemaProperties(@DefaultValue("flyway") Management management, @DefaultValue("1") int partitions) {

	public SchemaProperties {
		require(partitions >= 1 && partitions <= 256 && Integer.bitCount(partitions) == 1, "schema.partitions",
				partitions, "Write a power of two from 1 to 256.");
	}

	/**
	 * How the table comes into being.
	 */
	public enum Management {

		/**
		 * The library's own migrations run after the application's.
		 */
		FLYWAY,

		/**
		 * The application creates it; start-up fails when it is not there.
		 */
		VALIDATE,

		/**
		 * Nothing is done or checked.
		 */
		NONE

	}

}
