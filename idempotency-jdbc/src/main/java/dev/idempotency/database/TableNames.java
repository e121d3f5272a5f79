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
 * The names of the library's tables, sequences and functions. Statements are written with
 * the default names, and translated where these are not the ones in use.
 */
public final class TableNames {

	/**
	 * The prefix that is used in the scripts.
	 */
	public static final String DEFAULT_PREFIX = "idempotency_";

	private static final Pattern OBJECT = Pattern
		.compile("(?<![\\w.$\"])(')?idempotency_(record|lease|namespace|fence|now|job|dead_job|outbox)\\b");

	private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,62}");

	private static final Pattern PREFIX = Pattern.compile("[a-z][a-z0-9_]{0,29}");

	/**
	 * The default names, in the default schema of the connections.
	 */
	public static final TableNames DEFAULT = new TableNames(null, DEFAULT_PREFIX);

	private final @Nullable String schema;

	private final String prefix;

	private final Map<String, String> translated = new ConcurrentHashMap<>();

	/**
	 * Creates names.
	 * @param schema the schema; {@code null} for the default schema of the connections
	 * @param prefix the prefix of the names
	 * @throws IllegalArgumentException if one of them is not a plain identifier
	 */
	public TableNames(@Nullable String schema, String prefix) {
		if (schema != null && !isIdentifier(schema)) {
			throw new IllegalArgumentException("Not a plain identifier: " + schema);
		}
		if (!isPrefix(prefix)) {
			throw new IllegalArgumentException("Not a plain prefix: " + prefix);
		}
		this.schema = schema;
		this.prefix = prefix;
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
	 * Returns whether names that begin with a prefix can be used in SQL without quotes,
	 * and are short enough for every database.
	 * @param prefix a prefix
	 * @return {@code true} if it can be used
	 */
	public static boolean isPrefix(String prefix) {
		return PREFIX.matcher(prefix).matches();
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
		return this.schema == null && this.prefix.equals(DEFAULT_PREFIX);
	}

	/**
	 * Translates a name, without its schema.
	 * @param name a name with the default prefix
	 * @return the name in use
	 */
	public String local(String name) {
		return this.prefix + name.substring(DEFAULT_PREFIX.length());
	}

	/**
	 * Translates a name, with its schema if there is one.
	 * @param name a name with the default prefix
	 * @return the name in use
	 */
	public String qualified(String name) {
		return (this.schema != null) ? this.schema + "." + local(name) : local(name);
	}

	/**
	 * Translates a script, which is run with its schema first in the search path.
	 * @param script a script with the default names
	 * @return the script with the names in use, those of indexes and constraints included
	 */
	public String inScript(String script) {
		return this.prefix.equals(DEFAULT_PREFIX) ? script
				: script.replaceAll("\\b" + DEFAULT_PREFIX, Matcher.quoteReplacement(this.prefix));
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
		String name = DEFAULT_PREFIX + found.group(2);
		if (found.group(1) == null) {
			return qualified(name);
		}
		String before = sql.substring(0, found.start());
		boolean resolved = before.endsWith("regclass(") || before.endsWith("nextval(")
				|| sql.startsWith("'::regclass", found.end());
		return "'" + (resolved ? qualified(name) : local(name));
	}

}
