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
package dev.idempotency.sample;

import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The queries of the dashboard on a real Prometheus, while the sample is under load. The
 * interval of its rates is short, and each query is asked about all of that time.
 */
@SampleTest
@Import(Traffic.class)
@TestPropertySource(properties = { "idempotency.outbox.enabled=true", "idempotency.lease.duration=3s",
		"idempotency.completer.after=1s", "idempotency.completer.interval=200ms",
		"idempotency.completer.max-attempts=2", "idempotency.reaper.interval=500ms", "idempotency.ttl=2s",
		"idempotency.job.max-attempts=3", "idempotency.job.polling-interval=1s" })
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("O1")
@Tag("prometheus")
class PrometheusTests {

	/**
	 * Metrics of what does not happen here: a node of another version, and a pool that is
	 * too small.
	 */
	private static final Set<String> ZERO = Set.of("idempotency_unknown_steps_total", "hikaricp_connections_pending");

	private static final Pattern LABEL_VALUES = Pattern.compile("label_values\\((.+), ([a-z]+)\\)");

	@Autowired
	private Traffic traffic;

	@LocalServerPort
	private int port;

	private final AtomicBoolean loaded = new AtomicBoolean(true);

	private CompletableFuture<Void> load;

	private Prometheus prometheus;

	@BeforeAll
	void start(@TempDir Path directory) throws Exception {
		this.prometheus = Prometheus.start(directory, this.port);
		// A series whose first scrape has its first event has no rate
		Awaitility.await().until(() -> !this.prometheus.values("idempotency_requests_seconds_count").isEmpty());
		this.traffic.ofEachKind();
		this.traffic.givenUp();
		this.load = CompletableFuture.runAsync(() -> {
			while (this.loaded.get()) {
				this.traffic.usual();
			}
		});
	}

	@AfterAll
	void stop() throws Exception {
		this.loaded.set(false);
		try {
			this.load.get(60, TimeUnit.SECONDS);
		}
		finally {
			this.prometheus.close();
		}
	}

	@ParameterizedTest
	@MethodSource("dev.idempotency.sample.MonitoringFiles#queries")
	void aQueryOfTheDashboardHasData(String query) {
		boolean zero = PromQuery.parse(query).selectors().stream().anyMatch((one) -> ZERO.contains(one.metric()));
		String asked = "max_over_time((" + onPrometheus(query) + ")[10m:1s])";
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.prometheus.values(asked)).isNotEmpty()
				.anyMatch((value) -> zero ? value == 0 : value > 0 && Double.isFinite(value)));
	}

	/**
	 * All that Grafana puts into a query.
	 */
	private static String onPrometheus(String query) {
		return LABEL_VALUES.matcher(query)
			.replaceAll("count by ($2) ($1)")
			.replace("$__rate_interval", "10s")
			.replace("$job", ".*")
			.replace("$operation", ".*");
	}

	@Test
	void theAlertRulesAreEvaluatedWithoutAnError() {
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.prometheus.rules()).hasSameSizeAs(MonitoringFiles.alerts())
				.allMatch((rule) -> rule.get("health").asString().equals("ok")));
	}

	@Test
	void whatHappenedHereRaisesItsAlerts() {
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.prometheus.rules())
				.filteredOn((rule) -> rule.get("state").asString().equals("firing"))
				.extracting((rule) -> rule.get("name").asString())
				.contains("IdempotencyRequestsStuck", "IdempotencyJobsDead"));
	}

	@Test
	void theAlertRulesKeepTheirTests() throws Exception {
		assertThat(Prometheus.tool("test", "rules", MonitoringFiles.path(MonitoringFiles.ALERTS_TEST).toString()))
			.endsWith("exit code 0");
	}

}
