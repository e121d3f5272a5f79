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
package dev.idempotency.store.jdbc.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Plain statements on a connection. Spring's templates would require a data source, and
 * translate the exceptions whose codes report a lock.
 *
 * @param connection the connection
 */
public record Jdbc(Connection connection) {

	private static final Object NO_CONTENT = new Object();

	/**
	 * Returns a parameter for content that may be missing. Its type remains the same:
	 * PostgreSQL would otherwise prepare the statement again.
	 */
	public static Object content(byte @Nullable [] content) {
		return (content != null) ? content : NO_CONTENT;
	}

	/**
	 * Executes a message of several statements.
	 */
	public void execute(String sql, @Nullable Object... parameters) throws SQLException {
		try (PreparedStatement statement = prepare(sql, parameters)) {
			statement.execute();
		}
	}

	public int update(String sql, @Nullable Object... parameters) throws SQLException {
		try (PreparedStatement statement = prepare(sql, parameters)) {
			return statement.executeUpdate();
		}
	}

	/**
	 * Executes a statement once for each item.
	 * @return the number of rows changed
	 */
	public <T> int updateEach(String sql, Collection<T> items, Function<T, Object[]> parameters) throws SQLException {
		int changed = 0;
		if (items.isEmpty()) {
			return changed;
		}
		try (PreparedStatement statement = this.connection.prepareStatement(sql)) {
			for (T item : items) {
				bind(statement, parameters.apply(item));
				statement.addBatch();
			}
			for (int count : statement.executeBatch()) {
				changed += (count == Statement.SUCCESS_NO_INFO) ? 1 : count;
			}
		}
		return changed;
	}

	public <T> List<T> query(String sql, Row<T> row, @Nullable Object... parameters) throws SQLException {
		try (PreparedStatement statement = prepare(sql, parameters)) {
			return read(statement.executeQuery(), row);
		}
	}

	/**
	 * Reads one row of one column.
	 */
	public static boolean readBoolean(ResultSet rows) throws SQLException {
		return read(rows, (row) -> row.getBoolean(1)).get(0);
	}

	/**
	 * Reads all rows, and closes them.
	 */
	public static <T> List<T> read(ResultSet rows, Row<T> row) throws SQLException {
		try (rows) {
			List<T> found = new ArrayList<>();
			while (rows.next()) {
				found.add(row.read(rows));
			}
			return found;
		}
	}

	public <T> T queryOne(String sql, Row<T> row, @Nullable Object... parameters) throws SQLException {
		return query(sql, row, parameters).get(0);
	}

	public boolean exists(String sql, @Nullable Object... parameters) throws SQLException {
		return !query(sql, (row) -> true, parameters).isEmpty();
	}

	/**
	 * Adds the parameters for a list of values.
	 * @param sql a statement with {@code %s} where the list belongs
	 */
	public static String in(String sql, int count) {
		return sql.formatted(String.join(", ", Collections.nCopies(count, "?")));
	}

	public PreparedStatement prepare(String sql, @Nullable Object... parameters) throws SQLException {
		PreparedStatement statement = this.connection.prepareStatement(sql);
		bind(statement, parameters);
		return statement;
	}

	private static void bind(PreparedStatement statement, @Nullable Object... parameters) throws SQLException {
		for (int i = 0; i < parameters.length; i++) {
			if (parameters[i] == NO_CONTENT) {
				statement.setBytes(i + 1, null);
			}
			else {
				statement.setObject(i + 1, parameters[i]);
			}
		}
	}

	/**
	 * Statements of one transaction.
	 *
	 * @param <T> the type of their result
	 */
	@FunctionalInterface
	public interface Work<T> {

		T apply(Jdbc jdbc) throws SQLException;

	}

	/**
	 * Reads the current row.
	 *
	 * @param <T> the type of what it reads
	 */
	@FunctionalInterface
	public interface Row<T> {

		T read(ResultSet row) throws SQLException;

	}

}
