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
package dev.idempotency.conformance.app;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.sql.DataSource;

import dev.idempotency.testsupport.DatabaseKind;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/**
 * The statements of tests, which are PostgreSQL's, in the words of the database that the
 * tests run on.
 */
public final class PortableJdbc {

	private static final Pattern INTERVAL = Pattern
		.compile("([\\w_]+(?:\\(\\))?) ([-+]) interval '(-?)(\\d+) ?(second|minute|hour|year|s|h)s?'");

	private static final Pattern SECONDS = Pattern.compile("extract\\(epoch from ([\\w_]+) - ([\\w_]+)\\)");

	private final DatabaseKind kind;

	private PortableJdbc(DatabaseKind kind) {
		this.kind = kind;
	}

	/**
	 * Statements on the connections of a data source, in its transactions.
	 * @param kind what it leads to
	 * @param dataSource the data source
	 * @return a template
	 */
	public static JdbcTemplate of(DatabaseKind kind, DataSource dataSource) {
		return (kind == DatabaseKind.POSTGRESQL) ? new JdbcTemplate(dataSource)
				: new JdbcTemplate(new Translating(dataSource, new PortableJdbc(kind)));
	}

	/**
	 * Translates a statement.
	 * @param kind the database
	 * @param sql the statement for PostgreSQL
	 * @return the statement for that database
	 */
	public static String translate(DatabaseKind kind, String sql) {
		return new PortableJdbc(kind).translate(sql);
	}

	private String translate(String sql) {
		String translated = INTERVAL.matcher(sql).replaceAll(PortableJdbc::timestampAdd);
		translated = SECONDS.matcher(translated)
			.replaceAll("(timestampdiff(microsecond, $2, $1) / 1000000.0)")
			.replace("::int", "")
			.replace("analyze idempotency_record", "analyze table idempotency_record");
		return switch (this.kind) {
			case POSTGRESQL -> sql;
			case H2, H2_POSTGRESQL -> translated.replace("clock_timestamp()", "current_timestamp");
		};
	}

	private static String timestampAdd(MatchResult interval) {
		boolean negative = interval.group(2).equals("-") != interval.group(3).equals("-");
		String unit = switch (interval.group(5)) {
			case "s" -> "second";
			case "h" -> "hour";
			default -> interval.group(5);
		};
		return Matcher.quoteReplacement("timestampadd(" + unit + ", " + (negative ? "-" : "") + interval.group(4) + ", "
				+ interval.group(1) + ")");
	}

	private Connection translating(Connection connection) {
		return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
				(proxy, method, arguments) -> {
					if (arguments != null && method.getName().startsWith("prepare")) {
						arguments[0] = translate((String) arguments[0]);
					}
					try {
						Object result = method.invoke(connection, arguments);
						return (result instanceof Statement statement && method.getName().equals("createStatement"))
								? translating(statement) : result;
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	private Statement translating(Statement statement) {
		return (Statement) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Statement.class },
				(proxy, method, arguments) -> {
					if (arguments != null && method.getName().startsWith("execute")
							&& arguments[0] instanceof String sql) {
						arguments[0] = translate(sql);
					}
					try {
						return method.invoke(statement, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	/**
	 * The connection of the transaction, if there is one.
	 */
	private static final class Translating extends DelegatingDataSource {

		private final PortableJdbc portable;

		private Translating(DataSource target, PortableJdbc portable) {
			super(new TransactionAwareDataSourceProxy(target));
			this.portable = portable;
		}

		@Override
		public Connection getConnection() throws SQLException {
			return this.portable.translating(super.getConnection());
		}

	}

}
