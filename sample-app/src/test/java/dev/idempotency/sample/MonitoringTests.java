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

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import javax.sql.DataSource;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.test.context.TestPropertySource;

import dev.idempotency.observability.MeteredFeature;
import dev.idempotency.observability.MicrometerListener;

import static dev.idempotency.sample.SampleClient.answer;
import static dev.idempotency.sample.SampleClient.newKey;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds the dashboard, the alert rules and the runbook of docs/operations against the
 * sample: its scrape after traffic of each kind, and its database.
 */
@SampleTest
@TestPropertySource(properties = { "idempotency.reaper.interval=1s",
		"management.metrics.distribution.percentiles-histogram.idempotency.requests=true" })
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("O1")
class MonitoringTests {

	private static final String PAYMENT = "{\"amountCents\":%d,\"currency\":\"usd\",\"cardToken\":\"%s\"}";

	private static final String VISA = PAYMENT.formatted(700, "tok_visa");

	private static final Pattern ALERT_LABEL = Pattern.compile("\\$labels\\.([a-z_]+)");

	@Autowired
	private SampleClient client;

	@Autowired
	private DataSource dataSource;

	@Autowired
	private JdbcTemplate jdbc;

	@Autowired
	private MicrometerListener meters;

	@BeforeAll
	void makeTrafficOfEachKind() throws Exception {
		// The series of an application that has what the sample has not: caches, an
		// outbox
		this.meters.register(EnumSet.allOf(MeteredFeature.class));
		new ResourceDatabasePopulator(new ClassPathResource("db/idempotency/postgresql/V5__idempotency_outbox.sql"))
			.execute(this.dataSource);
		String key = newKey();
		pay(key, VISA, 201);
		pay(key, VISA, 201);
		pay(key, PAYMENT.formatted(701, "tok_visa"), 422);
		pay(newKey(), PAYMENT.formatted(700, "tok_unavailable"), 503);
		assertThat(answer(this.client.post("alice", "/rides", newKey(),
				"{\"originLat\":0.1,\"originLon\":0.1,\"targetLat\":0.2,\"targetLon\":0.2}"))
			.status()).isEqualTo(201);
		sendADuplicateWhileTheFirstIsRunning();
		this.jdbc.execute("alter table idempotency_record rename to idempotency_record_away");
		try {
			pay(newKey(), VISA, 503);
		}
		finally {
			this.jdbc.execute("alter table idempotency_record_away rename to idempotency_record");
		}
		this.jdbc.update("update idempotency_record set expires_at = clock_timestamp() - interval '1 hour'");
		Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.until(() -> this.jdbc.queryForObject("select count(*) from idempotency_record", Long.class) == 0);
	}

	private void sendADuplicateWhileTheFirstIsRunning() throws Exception {
		String key = newKey();
		CompletableFuture<Void> first;
		try (Connection blocker = this.dataSource.getConnection(); Statement statement = blocker.createStatement()) {
			blocker.setAutoCommit(false);
			statement.execute("lock table payment in exclusive mode");
			first = CompletableFuture.runAsync(() -> pay(key, VISA, 201));
			Awaitility.await()
				.atMost(Duration.ofSeconds(60))
				.until(() -> this.jdbc.queryForObject(
						"select count(*) from pg_locks where relation = 'payment'::regclass and not granted",
						Long.class) > 0);
			pay(key, VISA, 409);
			blocker.rollback();
		}
		first.get(60, TimeUnit.SECONDS);
	}

	private void pay(String key, String payment, int status) {
		assertThat(answer(this.client.post("alice", "/payments", key, payment)).status()).isEqualTo(status);
	}

	@ParameterizedTest
	@ValueSource(strings = { "idempotency_requests_seconds_count{outcome=\"executed\"}",
			"idempotency_requests_seconds_sum{outcome=\"executed\"}",
			"idempotency_requests_seconds_count{outcome=\"replayed\"}",
			"idempotency_requests_seconds_count{outcome=\"released\"}",
			"idempotency_requests_seconds_count{outcome=\"mismatched\"}",
			"idempotency_requests_seconds_sum{outcome=\"in_progress\"}",
			"idempotency_store_errors_total{phase=\"claim\"}" })
	void eachKindOfTrafficIsInTheScrapeUnderItsOperation(String selector) {
		assertThat(scrape().sum(selector.replace("}", ",operation=\"POST /payments\"}"))).isPositive();
	}

	@Test
	void deletedAnswersAreInTheScrape() {
		Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.untilAsserted(() -> assertThat(scrape().sum("idempotency_expired_total")).isPositive());
	}

	@ParameterizedTest
	@MethodSource("dev.idempotency.sample.MonitoringFiles#expressions")
	void whatAQueryAsksForIsThere(String expression) {
		assertThat(scrape().faults(PromQuery.parse(expression))).isEmpty();
	}

	@ParameterizedTest
	@MethodSource("dev.idempotency.sample.MonitoringFiles#alerts")
	void anAlertSaysWhatItMeansAndWhatToDo(Map<String, Object> alert) throws Exception {
		assertThat(alert.keySet()).isSubsetOf("alert", "expr", "for", "labels", "annotations");
		assertThat((String) alert.get("alert")).matches("Idempotency[A-Za-z]+");
		if (alert.get("for") != null) {
			assertThat((String) alert.get("for")).matches("[0-9]+[smhd]");
		}
		assertThat((Map<?, ?>) alert.get("labels")).extracting((labels) -> labels.get("severity"))
			.isIn("info", "warning", "critical");
		@SuppressWarnings("unchecked")
		Map<String, String> annotations = (Map<String, String>) alert.get("annotations");
		assertThat(annotations).containsOnlyKeys("summary", "description", "runbook_url");
		assertThat(annotations.values()).noneMatch(String::isBlank);
		String[] link = annotations.get("runbook_url").split("#");
		assertThat(link).hasSize(2).startsWith("https://idempotency.dev/" + MonitoringFiles.RUNBOOK);
		assertThat(MonitoringFiles.anchors()).contains(link[1]);
		assertThat(MonitoringFiles.read(MonitoringFiles.RUNBOOK)).contains("`" + alert.get("alert") + "`");
		Set<String> labels = PromQuery.parse((String) alert.get("expr")).labels();
		assertThat(ALERT_LABEL.matcher(annotations.toString()).results().map((label) -> label.group(1)))
			.isSubsetOf(labels);
	}

	@Test
	void everyMeterIsOnTheDashboard() throws Exception {
		List<String> shown = MonitoringFiles.panels()
			.flatMap((panel) -> panel.path("targets").valueStream())
			.flatMap((target) -> PromQuery.parse(target.get("expr").asString()).selectors().stream())
			.map(PromQuery.Selector::metric)
			.toList();
		for (String meter : Pattern.compile("^\\| `(idempotency\\.[a-z.]+)`", Pattern.MULTILINE)
			.matcher(MonitoringFiles.read("docs/reference/metrics.md"))
			.results()
			.map((row) -> row.group(1).replace('.', '_'))
			.toList()) {
			assertThat(shown).anyMatch((metric) -> metric.startsWith(meter + "_"));
		}
	}

	@Test
	void theDashboardIsWellFormed() throws Exception {
		JsonNode dashboard = MonitoringFiles.dashboard();
		assertThat(dashboard.get("uid").asString()).isNotBlank();
		assertThat(dashboard.get("title").asString()).isNotBlank();
		assertThat(dashboard.get("schemaVersion").asInt()).isPositive();
		assertThat(MonitoringFiles.panels().map((panel) -> panel.get("id").asInt())).doesNotHaveDuplicates()
			.isNotEmpty();
		assertThat(MonitoringFiles.panels()).allSatisfy((panel) -> {
			assertThat(panel.get("title").asString()).isNotBlank();
			assertThat(panel.at("/gridPos/x").asInt() + panel.at("/gridPos/w").asInt()).isBetween(1, 24);
			if (!panel.get("type").asString().equals("row")) {
				assertThat(panel.get("description").asString()).isNotBlank();
				assertThat(panel.at("/datasource/uid").asString()).isEqualTo("${datasource}");
				assertThat(panel.get("targets").isEmpty()).isFalse();
			}
		});
	}

	@ParameterizedTest
	@MethodSource("dev.idempotency.sample.MonitoringFiles#statements")
	void theStatementsOfTheRunbookRun(String statement) throws Exception {
		try (Connection connection = this.dataSource.getConnection(); Statement sql = connection.createStatement()) {
			connection.setAutoCommit(false);
			sql.execute(statement);
			connection.rollback();
		}
	}

	private Scrape scrape() {
		return Scrape.parse(answer(this.client.get("ops", "/actuator/prometheus")).body());
	}

}
