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
package dev.idempotency.conformance.faults;

import java.net.URI;
import java.util.List;
import java.util.function.Consumer;

import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.testsupport.PatroniCluster;
import dev.idempotency.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two nodes on a cluster of PostgreSQL servers, whose primary changes under load. Its
 * programs are no part of a fresh machine: these tests run where they are installed, by
 * {@code -Dgroups=ha -DexcludedGroups=}.
 */
@Tag("ha")
@Tag("X17")
class FailoverTests {

	private static final String[] PROPERTIES = { "idempotency.lease.duration=2s",
			"spring.datasource.hikari.connection-timeout=2000", "spring.datasource.hikari.validation-timeout=1000" };

	/**
	 * Those of owners that are at work, and of requests that commit all at once.
	 */
	private static final String LEASES_LEFT = """
			select operation from idempotency_lease
			where lease_until > clock_timestamp() and namespace <> '' or operation like '%transactional%'""";

	private static final long SEED = 17;

	private static PatroniCluster cluster;

	@BeforeAll
	static void start() {
		cluster = PatroniCluster.start();
	}

	@AfterAll
	static void stop() {
		cluster.close();
	}

	@Test
	void nothingIsLostOrDoubledByASwitchover() {
		underLoad("switchover", (load) -> cluster.switchOver());
	}

	@Test
	void nothingIsLostOrDoubledWhenThePrimaryCrashes() {
		underLoad("crash of PostgreSQL", (load) -> cluster.crashPostgres());
	}

	@Test
	void nothingIsLostOrDoubledWhenThePrimaryIsLostWithItsPatroni() {
		underLoad("loss of PostgreSQL and Patroni", (load) -> cluster.withoutPrimary(load::awaitProgress));
	}

	@Test
	void nothingIsLostOrDoubledWhenAPrimaryGoesOnThatWasReplacedWhilePaused() {
		underLoad("pause of PostgreSQL and Patroni", (load) -> cluster.whilePrimaryIsPaused(load::awaitProgress));
	}

	private static void underLoad(String title, Consumer<Load> fault) {
		cluster.awaitWhole();
		TestDatabase database = cluster.createDatabase();
		try (RunningApplication first = NodeApplication.start(database, PROPERTIES);
				Node second = Node.start(database, PROPERTIES)) {
			URI address = URI.create("http://127.0.0.1:" + first.port());
			Load load = Load.start(SEED, List.of(() -> address, second::address));
			load.awaitProgress();
			String primary = cluster.primaryName();
			fault.accept(load);
			load.awaitProgress();
			cluster.awaitWhole();
			assertThat(cluster.primaryName()).isNotEqualTo(primary);
			load.awaitProgress();
			load.settle(database);
			load.check(database);
			assertThat(first.jdbc().queryForList(LEASES_LEFT)).isEmpty();
			System.out.println(title + ": " + load.summary());
		}
	}

}
