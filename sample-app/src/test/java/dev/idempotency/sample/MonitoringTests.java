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
import java.util.List;
import java.util.Map;
import java.util.Set;
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
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.TestPropertySource;

import static dev.idempotency.sample.SampleClient.answer;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds the dashboard, the alert rules and the runbook of docs/operations against the
 * sample: its scrape after traffic of each kind, and its database.
 */
@SampleTest
@Import(Traffic.class)
@TestPropertySource(properties = { "idempotency.reaper.interval=1s", "idempotency.outbox.enabled=true" })
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("O1")
class MonitoringTests {

	private static final Pattern ALERT_LABEL = Pattern.compile("\\$labels\\.([a-z_]+)");

	@Autowired
	private SampleClient client;

	@Autowired
	private Traffic traffic;

	@Autowired
	private DataSource dataSource;

	@Autowired
	private JdbcTemplate jdbc;

	@BeforeAll
	void makeTrafficOfEachKind() throws Exception {
		this.traffic.ofEachKind();
		this.jdbc.update("update idempotency_record set expires_at = clock_timestamp() - interval '1 hour'");
		Awaitility.await()
			.until(() -> this.jdbc.queryForObject("select count(*) from idempotency_record", Long.class) == 0);
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
		Awaitility.await().untilAsserted(() -> assertThat(scrape().sum("idempotency_expired_total")).isPositive());
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
	void eachAlertHasATestThatItFires() throws Exception {
		String fired = MonitoringFiles.read(MonitoringFiles.ALERTS_TEST);
		assertThat(MonitoringFiles.alerts())
			.allSatisfy((alert) -> assertThat(fired).contains("alertname=\"" + alert.get("alert") + "\""));
	}

	@Test
	void everyMeterIsOnTheDashboard() throws Exception {
		List<String> shown = MonitoringFiles.panels()
			.flatMap((panel) -> panel.path("targets").valueStream())
			.flatMap((target) -> PromQuery.parse(target.get("expr").asString()).selectors().stream())
			.map(PromQuery.Selector::metric)
			.toList();
		for (String meter : Pattern.compile("^- \\*\\*`(idempotency\\.[a-z.]+)`", Pattern.MULTILINE)
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
