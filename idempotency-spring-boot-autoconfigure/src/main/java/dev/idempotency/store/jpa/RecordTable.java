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
package dev.idempotency.store.jpa;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import jakarta.persistence.Column;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Table;
import org.hibernate.Session;

/**
 * The tables as the database has them, compared with what the entity and the statements
 * need.
 */
public final class RecordTable {

	private static final String RECORDS = IdempotencyRecord.class.getAnnotation(Table.class).name();

	private static final String LEASES = "idempotency_lease";

	/**
	 * Leases have no entity.
	 */
	private static final List<String> LEASE_COLUMNS = List.of("id", "account", "operation", "fingerprint", "fence",
			"lease_until", "effects", "attempts", "uncounted", "created_at", "recovery_point", "steps", "command",
			"retry_at", "stuck_at", "last_error");

	private static final String FENCE = "idempotency_fence";

	private static final String COLUMNS = """
			select attname from pg_attribute
			where attrelid = to_regclass(?) and attnum > 0 and not attisdropped""";

	/**
	 * Without it the statement that stores an answer has no arbiter.
	 */
	private static final String UNIQUE_ID = """
			select exists (
				select from pg_index join pg_attribute on attrelid = indrelid and attnum = indkey[0]
				where indrelid = to_regclass(?) and indisunique and indisvalid
				and indpred is null and indnkeyatts = 1 and attname = 'id')""";

	private RecordTable() {
	}

	/**
	 * Look at the tables, on one connection.
	 * @param entityManagerFactory the factory of the business entities
	 * @return what is missing, each with its kind; empty when the tables can be used
	 */
	public static List<String> findMissing(EntityManagerFactory entityManagerFactory) {
		try (EntityManager own = entityManagerFactory.createEntityManager()) {
			return own.unwrap(Session.class).doReturningWork(RecordTable::findMissing);
		}
	}

	private static List<String> findMissing(Connection connection) throws SQLException {
		List<String> missing = new ArrayList<>(findMissing(connection, RECORDS, recordColumns()));
		missing.addAll(findMissing(connection, LEASES, LEASE_COLUMNS));
		if (readColumns(connection, FENCE).isEmpty()) {
			missing.add("sequence " + FENCE);
		}
		return missing;
	}

	private static List<String> findMissing(Connection connection, String table, List<String> columns)
			throws SQLException {
		Set<String> present = readColumns(connection, table);
		if (present.isEmpty()) {
			return List.of("table " + table);
		}
		List<String> missing = new ArrayList<>();
		for (String column : columns) {
			if (!present.contains(column)) {
				missing.add("column " + table + "." + column);
			}
		}
		if (present.contains("id") && !hasUniqueId(connection, table)) {
			missing.add("primary key (id) of " + table);
		}
		return missing;
	}

	private static List<String> recordColumns() {
		return Stream.of(IdempotencyRecord.class.getDeclaredFields())
			.map((field) -> field.getAnnotation(Column.class))
			.filter(Objects::nonNull)
			.map(Column::name)
			.toList();
	}

	private static Set<String> readColumns(Connection connection, String table) throws SQLException {
		Set<String> present = new HashSet<>();
		try (PreparedStatement statement = connection.prepareStatement(COLUMNS)) {
			statement.setString(1, table);
			try (ResultSet names = statement.executeQuery()) {
				while (names.next()) {
					present.add(names.getString(1));
				}
			}
		}
		return present;
	}

	private static boolean hasUniqueId(Connection connection, String table) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(UNIQUE_ID)) {
			statement.setString(1, table);
			try (ResultSet found = statement.executeQuery()) {
				return found.next() && found.getBoolean(1);
			}
		}
	}

}
