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
package dev.idempotency.autoconfigure.jdbc;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

import javax.sql.DataSource;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

import dev.idempotency.database.SupportedDatabase;
import dev.idempotency.database.TableNames;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.logging.LogEvent;

/**
 * The targets of a routing data source. They have to be one database, with its replicas:
 * heartbeats, reaper, completer, jobs and outbox work on the target that is selected
 * without a request, and the record of a request is not found on another one.
 * <ol>
 * <li>Each target is asked on a connection, not recognised by its name or address. A
 * target whose connections or server are read-only is a replica.</li>
 * <li>The others are one database if they give the same answer to the questions for the
 * server, the database and the schema that unqualified tables are in.</li>
 * <li>A target that cannot be reached is reported and ignored: a replica that is down
 * must not prevent a start.</li>
 * </ol>
 */
final class RoutingTargets {

	/**
	 * The server is identified by the moment of its start: copies of a server have its
	 * system identifier, and an address may belong to several servers or change with the
	 * route. The transactions of a standby are read-only.
	 */
	private static final String POSTGRESQL = """
			select current_setting('transaction_read_only') = 'on',
				extract(epoch from pg_postmaster_start_time())::text""";

	private static final Log logger = LogFactory.getLog(RoutingTargets.class);

	private final Map<DataSource, Object> keys = new LinkedHashMap<>();

	private RoutingTargets(DataSource dataSource) {
		add("default", dataSource);
	}

	/**
	 * Refuses a data source, or a proxy of one, that routes to several databases that can
	 * be written to.
	 * @param dataSource the data source of the business rows
	 * @param names the names of the tables
	 * @param connecting returns the data source on which a target is asked
	 * @throws InvalidIdempotentException if there are several, or the targets are unknown
	 */
	static void requireOneDatabase(DataSource dataSource, TableNames names, UnaryOperator<DataSource> connecting) {
		Map<DataSource, Object> targets = new RoutingTargets(dataSource).keys;
		if (targets.size() < 2) {
			return;
		}
		Map<Database, Object> writable = new LinkedHashMap<>();
		targets.forEach((target, key) -> {
			Database database = ask(connecting.apply(target), key, names);
			if (database != null) {
				writable.putIfAbsent(database, key);
			}
		});
		if (writable.size() > 1) {
			throw new InvalidIdempotentException(
					"The DataSource of the business rows routes to " + writable.size()
							+ " databases that can be written to, the targets "
							+ String.join(", ", writable.values().stream().map(Object::toString).toList())
							+ ": leases, jobs and events of only one of them would be looked after.",
					"Deploy the application once for each database, as \"One deployment for each database\" in "
							+ "docs/operations/scaling.md describes. If one of the targets is only read, make its "
							+ "pool or its server read-only.");
		}
	}

	private void add(Object key, DataSource dataSource) {
		AbstractRoutingDataSource router = findRouter(dataSource);
		if (router == null) {
			this.keys.putIfAbsent(dataSource, key);
			return;
		}
		requireKnownTargets(router);
		router.getResolvedDataSources().forEach(this::add);
		DataSource byDefault = router.getResolvedDefaultDataSource();
		if (byDefault != null) {
			add(key, byDefault);
		}
	}

	private static @Nullable AbstractRoutingDataSource findRouter(DataSource dataSource) {
		try {
			return dataSource.isWrapperFor(AbstractRoutingDataSource.class)
					? dataSource.unwrap(AbstractRoutingDataSource.class) : null;
		}
		catch (SQLException ex) {
			logger.debug("The DataSource does not tell whether it routes", ex);
			return null;
		}
	}

	/**
	 * A router that overrides the lookup can return data sources that it does not list,
	 * such as one for each tenant, created on demand.
	 */
	private static void requireKnownTargets(AbstractRoutingDataSource router) {
		Class<?> type = ClassUtils.getUserClass(router);
		Method lookup = ReflectionUtils.findMethod(type, "determineTargetDataSource");
		if (lookup != null && lookup.getDeclaringClass() != AbstractRoutingDataSource.class) {
			throw new InvalidIdempotentException(
					"The databases behind the DataSource of the business rows are unknown: " + type.getName()
							+ " overrides determineTargetDataSource.",
					"Set the targets by setTargetDataSources and override determineCurrentLookupKey only, if they are "
							+ "one database and its replicas. If they are several databases, deploy the application "
							+ "once for each, as \"One deployment for each database\" in docs/operations/scaling.md "
							+ "describes.");
		}
	}

	/**
	 * Asks a target for its database.
	 * @return the database, {@code null} if it is only read, or if it cannot be reached
	 */
	private static @Nullable Database ask(DataSource target, Object key, TableNames names) {
		try (Connection connection = target.getConnection()) {
			String server = connection.isReadOnly() ? null : askServer(connection);
			return (server != null) ? new Database(server, connection.getCatalog(),
					(names.schema() != null) ? names.schema() : connection.getSchema()) : null;
		}
		catch (SQLException ex) {
			LogEvent.ROUTING_TARGET_UNREACHABLE.log(logger, "The target " + key
					+ " of the DataSource of the business rows cannot be reached, so it is unknown if it is a replica. "
					+ "Otherwise the application must not use it, and its next start is refused", ex);
			return null;
		}
	}

	private static @Nullable String askServer(Connection connection) throws SQLException {
		DatabaseMetaData metaData = connection.getMetaData();
		return switch (SupportedDatabase.of(metaData)) {
			case POSTGRESQL -> askPostgres(connection);
			case H2 -> metaData.getURL();
		};
	}

	private static @Nullable String askPostgres(Connection connection) throws SQLException {
		try (Statement statement = connection.createStatement();
				ResultSet answer = statement.executeQuery(POSTGRESQL)) {
			answer.next();
			return answer.getBoolean(1) ? null : answer.getString(2);
		}
	}

	/**
	 * A database that can be written to.
	 *
	 * @param server the server
	 * @param name the name of the database on the server
	 * @param schema the schema of the tables
	 */
	private record Database(String server, @Nullable String name, @Nullable String schema) {

	}

}
