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
package dev.idempotency.store.jdbc.h2;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.LongStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import dev.idempotency.database.TableNames;
import dev.idempotency.store.UnfinishedStore.Filter;
import dev.idempotency.store.UnfinishedStore.Position;
import dev.idempotency.store.UnfinishedStore.UnfinishedRecord;
import dev.idempotency.store.jdbc.JdbcStores;
import dev.idempotency.store.jdbc.connection.DataSourceConnections;
import dev.idempotency.store.jdbc.connection.OwnConnection;
import dev.idempotency.store.jdbc.connection.OwnTransactions;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The operators' lists read no more requests than they show: of one hundred that are
 * stuck, younger than thousands that are open.
 */
@Tag("Y12")
class H2ListTests {

	private static final int OPEN = 4_000;

	private static final int STUCK = 100;

	private static final Pattern READ = Pattern.compile("scanCount: ([0-9]+)");

	private Connection connection;

	@BeforeEach
	void connect() throws SQLException, IOException {
		this.connection = DriverManager.getConnection("jdbc:h2:mem:");
		try (var script = H2Unfinished.class.getResourceAsStream("/db/idempotency/h2/V1__idempotency_record.sql");
				var statement = this.connection.createStatement()) {
			statement.execute(new String(script.readAllBytes(), StandardCharsets.UTF_8));
			statement.execute("""
					insert into idempotency_lease
						(id, namespace, account, operation, fingerprint, fence, lease_until, created_at, stuck_at,
						node)
					select hash('SHA-256', cast(x as varchar)), 'pile', X'01', 'pay', X'01', x, now(),
						dateadd(second, x, timestamp '2026-01-01 00:00:00'), case when x > %d then now() end, 'gone:1'
					from system_range(1, %d)""".formatted(OPEN, OPEN + STUCK));
			statement.execute("analyze");
		}
	}

	@AfterEach
	void disconnect() throws SQLException {
		this.connection.close();
	}

	private List<UnfinishedRecord> list(Filter filter, Position after, int limit) {
		SingleConnectionDataSource session = new SingleConnectionDataSource(this.connection, true);
		return JdbcStores
			.unfinished(new DataSourceConnections(session, new DataSourceTransactionManager(session)),
					TableNames.DEFAULT, Duration.ofSeconds(10), "pile")
			.list(filter, after, limit);
	}

	@ParameterizedTest
	@EnumSource(Filter.class)
	void listsAreReadByAnIndex(Filter filter) throws SQLException {
		SingleConnectionDataSource session = new SingleConnectionDataSource(this.connection, true);
		H2Unfinished store = new H2Unfinished(new OwnConnection(new DataSourceConnections(session),
				OwnTransactions.ONE_MESSAGE, Duration.ofSeconds(10)), "pile", H2Records.syntax(TableNames.DEFAULT));
		String list = (filter == Filter.STUCK) ? store.listStuck : store.listAll;
		try (PreparedStatement statement = this.connection.prepareStatement("explain analyze " + list)) {
			statement.setString(1, "pile");
			statement.setLong(2, 0);
			statement.setLong(3, 0);
			statement.setBytes(4, new byte[32]);
			statement.setInt(5, 10);
			try (ResultSet row = statement.executeQuery()) {
				row.next();
				String plan = row.getString(1);
				long read = READ.matcher(plan).results().mapToLong((count) -> Long.parseLong(count.group(1))).sum();
				assertThat(read).as(plan).isBetween(10L, 20L);
			}
		}
	}

	@Test
	void stuckRequestsAreListedInTheOrderInWhichTheyCame() {
		List<UnfinishedRecord> first = list(Filter.STUCK, Position.START, 60);
		UnfinishedRecord last = first.get(59);
		List<UnfinishedRecord> second = list(Filter.STUCK, new Position(last.createdAt(), last.lease().identity()), 60);
		assertThat(first).hasSize(60)
			.extracting((record) -> record.lease().fence())
			.containsExactlyElementsOf(LongStream.rangeClosed(OPEN + 1, OPEN + 60).boxed().toList());
		assertThat(second).hasSize(40).allMatch((record) -> record.lease().fence() > OPEN + 60);
		assertThat(list(Filter.STUCK, new Position(last.createdAt().plus(Duration.ofDays(1)), last.lease().identity()),
				60))
			.isEmpty();
	}

}
