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

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The names of the library's tables, sequences and functions, in the schema that holds
 * them.
 */
public final class TableNames {

	private static final Pattern OBJECT = Pattern
		.compile("(?<![\\w.$\"])(')?idempotency_(record|lease|namespace|fence|now|job|dead_job|outbox)\\b");

	private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,62}");

	/**
	 * The names in the default schema of the connections.
	 */
	public static final TableNames DEFAULT = new TableNames(null);

	private final @Nullable String schema;

	private final Map<String, String> translated = new ConcurrentHashMap<>();

	/**
	 * Creates names.
	 * @param schema the schema; {@code null} for the default schema of the connections
	 * @throws IllegalArgumentException if it is not a plain identifier
	 */
	public TableNames(@Nullable String schema) {
		if (schema != null && !isIdentifier(schema)) {
			throw new IllegalArgumentException("Not a plain identifier: " + schema);
		}
		this.schema = schema;
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
	 * Returns the schema.
	 * @return its name; {@code null} for the default schema of the connections
	 */
	public @Nullable String schema() {
		return this.schema;
	}

	/**
	 * Returns whether statements need no translation.
	 * @return {@code true} for the default names
	 */
	public boolean isDefault() {
		return this.schema == null;
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
	 * Translates a statement.
	 * @param sql a statement with the default names
	 * @return the statement with the names in use
	 */
	public String in(String sql) {
		return isDefault() ? sql : this.translated.computeIfAbsent(sql, this::translate);
	}

	private String translate(String sql) {
		String named = OBJECT.matcher(sql).replaceAll((found) -> Matcher.quoteReplacement(translate(sql, found)));
		if (this.schema == null) {
			return named;
		}
		String literal = "'" + this.schema + "'";
		return named
			.replace("= current_schema",
					"= (select schema_name from information_schema.schemata where lower(schema_name) = '"
							+ this.schema.toLowerCase(Locale.ROOT) + "')")
			.replace("= schema()", "= " + literal);
	}

	/**
	 * Translates a match. A quoted name is looked up in the catalog, unless the database
	 * resolves it.
	 */
	private String translate(String sql, MatchResult found) {
		String name = "idempotency_" + found.group(2);
		if (found.group(1) == null) {
			return qualified(name);
		}
		String before = sql.substring(0, found.start());
		boolean resolved = before.endsWith("regclass(") || before.endsWith("nextval(")
				|| sql.startsWith("'::regclass", found.end());
		return "'" + (resolved ? qualified(name) : name);
	}

}
