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
package dev.idempotency.database;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * The names of the library's tables, sequences and functions, in the schema that holds
 * them.
 *
 * @param schema the schema; {@code null} for the default schema of the connections
 */
public record TableNames(@Nullable String schema) {

	private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,62}");

	private static final Pattern NAME = Pattern
		.compile("(?<![\\w.$\"])idempotency_(record|lease|lock|namespace|claim_number|now|job|dead_job|outbox)\\b");

	/**
	 * The names in the default schema of the connections.
	 */
	public static final TableNames DEFAULT = new TableNames(null);

	/**
	 * Creates names.
	 * @param schema the schema
	 * @throws IllegalArgumentException if it is not a plain identifier
	 */
	public TableNames {
		Assert.isTrue(schema == null || isIdentifier(schema), () -> "Not a plain identifier: " + schema);
	}

	/**
	 * Returns whether a name can be used in SQL without quotes.
	 * @param name a name
	 * @return {@code true} if it can
	 */
	public static boolean isIdentifier(String name) {
		return IDENTIFIER.matcher(name).matches();
	}

	/**
	 * Adds the schema to a name, if there is one.
	 * @param name a name
	 * @return the name with its schema
	 */
	public String qualified(String name) {
		return (this.schema != null) ? this.schema + "." + name : name;
	}

	/**
	 * Adds the schema to the names in a statement, including those in strings, such as
	 * {@code nextval('idempotency_claim_number')}.
	 * @param sql a statement
	 * @return the statement
	 */
	public String in(String sql) {
		return (this.schema == null) ? sql
				: NAME.matcher(sql).replaceAll((name) -> Matcher.quoteReplacement(qualified(name.group())));
	}

}
