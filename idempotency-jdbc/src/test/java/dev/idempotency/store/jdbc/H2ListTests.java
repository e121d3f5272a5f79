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
package dev.idempotency.store.jdbc;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
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
		try (var script = H2UnfinishedStore.class.getResourceAsStream("/db/idempotency/h2/V1__idempotency_record.sql");
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

	private H2UnfinishedStore store() {
		SingleConnectionDataSource session = new SingleConnectionDataSource(this.connection, true);
		return new H2UnfinishedStore(
				H2Store.jdbc(new DataSourceConnections(session, new DataSourceTransactionManager(session)),
						Duration.ofSeconds(10)),
				TableNames.DEFAULT, "pile");
	}

	private List<UnfinishedRecord> list(Filter filter, Position after, int limit) {
		return store().list(filter, after, limit);
	}

	@ParameterizedTest
	@EnumSource(Filter.class)
	void listsAreReadByAnIndex(Filter filter) throws SQLException {
		String list = (filter == Filter.STUCK) ? store().listStuck : store().listOpen;
		try (PreparedStatement statement = this.connection.prepareStatement("explain analyze " + list)) {
			statement.setString(1, "pile");
			statement.setObject(2, Rows.time(Instant.EPOCH));
			statement.setObject(3, Rows.time(Instant.EPOCH));
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
