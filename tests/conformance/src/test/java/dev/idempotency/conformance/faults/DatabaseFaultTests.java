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
import java.util.Map;

import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.testsupport.DedicatedServer;
import dev.idempotency.testsupport.TestDatabase;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * PostgreSQL goes away under load, and comes back or is replaced.
 */
@Tag("postgresql")
@Tag("X17")
class DatabaseFaultTests {

	private static final String[] PROPERTIES = { "idempotency.lease.duration=2s",
			"spring.datasource.hikari.connection-timeout=2000", "spring.datasource.hikari.validation-timeout=1000" };

	private static final long SEED = 17;

	@Test
	void nothingIsLostOrDoubledWhenPostgresIsRestartedAndWhenItCrashes() {
		try (DedicatedServer server = TestDatabase.startDedicatedServer(Map.of())) {
			TestDatabase database = server.createDatabase();
			try (RunningApplication node = NodeApplication.start(database, PROPERTIES)) {
				Load load = startLoad(node);
				load.awaitProgress();
				server.restart();
				load.awaitProgress();
				server.crash();
				server.start();
				load.awaitProgress();
				load.settle(database);
				load.check(database);
			}
		}
	}

	@Test
	void nothingIsLostOrDoubledWhenAStandbyTakesOver() {
		try (DedicatedServer primary = TestDatabase.startDedicatedServer(Map.of())) {
			TestDatabase database = primary.createDatabase();
			try (DedicatedServer standby = primary.startStandby();
					RunningApplication node = NodeApplication.start(standby.behind(database), PROPERTIES)) {
				Load load = startLoad(node);
				load.awaitProgress();
				primary.crash();
				standby.promote();
				load.awaitProgress();
				load.settle(standby.behind(database));
				load.check(standby.behind(database));
			}
		}
	}

	private static Load startLoad(RunningApplication node) {
		URI address = URI.create("http://127.0.0.1:" + node.port());
		return Load.start(SEED, List.of(() -> address));
	}

}
