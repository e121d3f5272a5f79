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

package dev.idempotency.conformance.fuzz;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import com.zaxxer.hikari.HikariDataSource;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.testsupport.TestDatabase;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

import org.springframework.transaction.annotation.Isolation;

/**
 * A server for cases, with few threads and connections, and what it has left behind in
 * its database.
 */
final class FuzzServer implements AutoCloseable {

	private static final String LEFT_BEHIND = """
			select (select count(*) from pg_locks l join pg_database d on d.oid = l.database
			        where l.locktype = 'advisory' and d.datname = current_database())
			    || ' advisory locks, '
			    || (select count(*) from pg_stat_activity
			        where datname = current_database() and state like 'idle in transaction%')
			    || ' idle transactions, '
			    || (select count(*) from idempotency_lease where namespace <> '') || ' leases'""";

	private static final String NOTHING = "0 advisory locks, 0 idle transactions, 0 leases, 0 connections";

	private final FuzzSetting setting;

	private final TestDatabase database;

	private final Connection observer;

	private final RunningApplication application;

	private FuzzServer(FuzzSetting setting, TestDatabase database, RunningApplication application) throws SQLException {
		this.setting = setting;
		this.database = database;
		this.application = application;
		this.observer = database.connect();
	}

	/**
	 * Starts a server on a separate database.
	 * @param setting the settings
	 * @param more more parts of the application
	 */
	static FuzzServer start(FuzzSetting setting, Class<?>... more) {
		TestDatabase database = MigratedDatabase.create();
		List<Class<?>> sources = new ArrayList<>(List.of(more));
		sources.add(FuzzApplication.class);
		sources.addAll(GeneratedHandlers.all());
		RunningApplication application = RunningApplication.start(database, sources,
				"spring.jpa.open-in-view=" + setting.openInView(), "server.tomcat.threads.max=3",
				"server.tomcat.threads.min-spare=3", "spring.datasource.hikari.maximum-pool-size=4",
				"spring.datasource.hikari.connection-timeout=5000", isolation(database, setting.isolation()),
				"idempotency.completer.enabled=false", "idempotency.reaper.enabled=false",
				// Exceptions that handlers throw on purpose
				"logging.level.org.apache.catalina.core=" + System.getProperty("fuzz.exceptions", "off"),
				"logging.level.org.hibernate.orm.jdbc=off", "logging.level.org.springframework.web=error");
		database.execute(
				"create table fuzz_deferred (effect uuid not null references effect (id) deferrable initially deferred)");
		try {
			return new FuzzServer(setting, database, application);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * The pool sets the isolation of a session, which a pooler of transactions hands to
	 * others: behind one it is a setting of the database.
	 */
	private static String isolation(TestDatabase database, Isolation isolation) {
		if (!database.jdbcUrl().contains("prepareThreshold=0")) {
			return "spring.datasource.hikari.transaction-isolation=TRANSACTION_" + isolation;
		}
		String name = database.jdbcUrl().replaceAll(".*/([^/?]+)\\?.*", "$1");
		new TestDatabase(database.jdbcUrl().replace(name, "postgres"), database.username(), database.password())
			.execute("ALTER DATABASE " + name + " SET default_transaction_isolation = '"
					+ isolation.name().toLowerCase().replace('_', ' ') + "'");
		return "spring.datasource.hikari.pool-name=" + name;
	}

	FuzzSetting setting() {
		return this.setting;
	}

	<T> T bean(Class<T> type) {
		return this.application.context().getBean(type);
	}

	Executions executions() {
		return bean(Executions.class);
	}

	HttpRequest.Builder request(String path) {
		return this.application.request(RunningApplication.ALICE, path);
	}

	HttpResponse<byte[]> send(HttpRequest.Builder request) {
		return this.application.send(request);
	}

	/**
	 * The ids of the rows with a label.
	 */
	List<String> rows(String label) {
		return query("select id from effect where label = '" + label + "'");
	}

	long records() {
		return Long.parseLong(query("select count(*) from idempotency_record").get(0));
	}

	List<String> takeFindings() {
		return bean(ThreadWatch.class).takeFindings();
	}

	/**
	 * Forgets the leases of requests that have not ended, where that is as it should be.
	 */
	void forgetLeases() {
		this.database.execute("delete from idempotency_lease where namespace <> ''");
	}

	/**
	 * Finds out what is left behind.
	 * @param patience how long what is being cleaned up may take
	 * @return a text, empty when nothing is
	 */
	String leftBehind(Duration patience) {
		try {
			Awaitility.await()
				.atMost(patience)
				.pollDelay(Duration.ZERO)
				.pollInterval(Duration.ofMillis(5))
				.until(() -> NOTHING.equals(look()));
			return "";
		}
		catch (ConditionTimeoutException ex) {
			return look();
		}
	}

	private String look() {
		int active = bean(HikariDataSource.class).getHikariPoolMXBean().getActiveConnections();
		return query(LEFT_BEHIND).get(0) + ", " + active + " connections";
	}

	private List<String> query(String sql) {
		try (Statement statement = this.observer.createStatement(); ResultSet result = statement.executeQuery(sql)) {
			List<String> values = new ArrayList<>();
			while (result.next()) {
				values.add(result.getString(1));
			}
			return values;
		}
		catch (SQLException ex) {
			throw new IllegalStateException(sql, ex);
		}
	}

	@Override
	public void close() {
		this.application.close();
		try {
			this.observer.close();
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
