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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The test of the checks in {@link MonitoringTests}.
 */
class ScrapeTests {

	private static final Scrape SCRAPE = Scrape.parse("""
			# HELP idempotency_store_errors_total Failures of the store
			# TYPE idempotency_store_errors_total counter
			idempotency_store_errors_total{operation="POST /a/{id} \\"x\\"",phase="claim"} 2.0
			idempotency_store_errors_total{operation="reaper",phase="reap"} 1.0E1
			idempotency_requests_seconds_count{operation="POST /a/{id}"} 3
			idempotency_expired_total 0.0
			""");

	@ParameterizedTest
	@ValueSource(strings = { "idempotency_expired_total", "rate(idempotency_expired_total[5m]) > 0",
			"sum by (job, operation) (rate(idempotency_store_errors_total{phase=\"claim\"}[5m])) > 0",
			"sum(idempotency_store_errors_total{phase=~\"claim|finish\", job=\"x\"})",
			"sum by (operation) (rate(idempotency_store_errors_total{operation=~\"$operation\"}[$__rate_interval]))"
					+ " / on (operation) 0.5 * sum(rate(idempotency_requests_seconds_count[1h])) by (operation)",
			"idempotency_expired_total{instance=~\"$instance\"} > 1e3",
			"label_values(idempotency_requests_seconds_count{job=~\"$job\"}, operation)" })
	void aQueryWhoseMetricsAndLabelsAreThereHasNoFault(String expression) {
		assertThat(SCRAPE.faults(PromQuery.parse(expression))).isEmpty();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					rate(idempotency_expires_total[5m]) > 0                              | no metric idempotency_expires_total
					rate(idempotency_expired_total[5m]) / rate(idempotency_requests[5m]) | no metric idempotency_requests
					rate(idempotency_expired_total{operation="x"}[5m])                   | no label operation on idempotency_expired
					rate(idempotency_store_errors_total{phase="claims"}[5m])             | no series for
					rate(idempotency_store_errors_total{phase=~"cl"}[5m])                | no series for
					rate(idempotency_store_errors_total{operation="reaper",phase="claim"}[5m]) | no series for
					sum by (operations) (idempotency_store_errors_total)                 | no label operations on
					sum(idempotency_expired_total) by (operation)                        | no label operation on
					sum(idempotency_requests_seconds_count) / on (phase) sum(idempotency_store_errors_total) | no label phase on
					label_values(idempotency_requests_seconds_count, phase)              | no label phase on
					label_values(idempotency_requests_count, operation)                  | no metric idempotency_requests_count
					""")
	void aPlantedFaultIsFound(String expression, String fault) {
		assertThat(SCRAPE.faults(PromQuery.parse(expression))).anySatisfy((found) -> assertThat(found).contains(fault));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "1 + 1", "ratte(idempotency_expired_total[5m])", "sum(idempotency_expired_total",
			"rate > 0", "{phase=\"claim\"}", "sum by (a idempotency_expired_total", "a{b=\"c\"", "a ; b" })
	void whatIsNotAQueryIsRefused(String expression) {
		assertThatIllegalArgumentException().isThrownBy(() -> PromQuery.parse(expression));
	}

	@Test
	void seriesAreSummed() {
		assertThat(SCRAPE.sum("idempotency_store_errors_total")).isEqualTo(12);
		assertThat(SCRAPE.sum("idempotency_store_errors_total{phase=\"reap\"}")).isEqualTo(10);
		assertThat(SCRAPE.sum("idempotency_nothing")).isZero();
	}

}
