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

import java.util.ArrayList;
import java.util.List;

import com.zaxxer.hikari.HikariDataSource;

import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The state in which requests leave threads, connections, locks and leases.
 */
public final class Leftovers {

	private Leftovers() {
	}

	/**
	 * Checks that nothing is held: no connection of the pool, no transaction, no advisory
	 * lock, no lease.
	 */
	public static void assertNone(RunningApplication application) {
		// None is a bean where the application wraps it
		List<HikariDataSource> pools = application.context().getBeanProvider(HikariDataSource.class).stream().toList();
		await().untilAsserted(() -> {
			assertThat(pools).as("connections in use")
				.allSatisfy((pool) -> assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero());
			assertThat(
					application.jdbc()
						.queryForList("select query from pg_stat_activity where datname = current_database() "
								+ "and state like 'idle in transaction%'", String.class))
				.as("open transactions")
				.isEmpty();
			assertThat(count(application,
					"select count(*) from pg_locks where locktype = 'advisory' and database = "
							+ "(select oid from pg_database where datname = current_database())"))
				.as("advisory locks")
				.isZero();
			assertThat(count(application, "select count(*) from idempotency_lease where namespace <> ''")).as("leases")
				.isZero();
		});
	}

	/**
	 * Checks that later requests of others mean what they say: those that are
	 * acknowledged are committed.
	 * @param paths the paths of handlers that record the label of the body
	 */
	public static void assertAcknowledgedIsCommitted(RunningApplication application, int requests, String... paths) {
		List<String> acknowledged = new ArrayList<>();
		for (int i = 0; i < requests; i++) {
			String label = "later-" + i + "-" + System.nanoTime();
			var response = application.post(ALICE, paths[i % paths.length], label, Labelled.json(label));
			assertThat(response.statusCode()).as(Responses.text(response)).isEqualTo(200);
			acknowledged.add(label);
		}
		List<String> committed = application.jdbc()
			.queryForList("select label from effect where label like 'later-%'", String.class);
		assertThat(committed).containsAll(acknowledged).doesNotHaveDuplicates();
	}

	private static long count(RunningApplication application, String query) {
		Long count = application.jdbc().queryForObject(query, Long.class);
		return (count != null) ? count : -1;
	}

}
