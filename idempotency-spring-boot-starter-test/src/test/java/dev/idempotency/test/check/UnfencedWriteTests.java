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
package dev.idempotency.test.check;

import java.util.UUID;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.servlet.client.RestTestClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.test.DeliveredResponse;
import dev.idempotency.test.app.DatabaseTest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Writes of LEASED handlers outside Spring's transactions: no fence can hold them back,
 * so they fail a test.
 */
@Tag("X23")
@DatabaseTest
@Import({ UnfencedWrites.class, FencedWrites.class, Shipments.class, UnfencedWriteTests.Bindings.class,
		UnfencedWriteTests.AnotherDataSource.class })
@TestPropertySource(properties = { "server.tomcat.threads.max=1", "spring.jpa.open-in-view=false" })
@ExtendWith(OutputCaptureExtension.class)
class UnfencedWriteTests {

	@Autowired
	private RestTestClient client;

	@Autowired
	private JdbcTemplate jdbc;

	@Autowired
	private HikariDataSource pool;

	@Autowired
	private PlatformTransactionManager transactionManager;

	@Test
	void theTransactionsAreThoseOfTheApplication() {
		assertThat(this.transactionManager instanceof JpaTransactionManager).isEqualTo(isWithJpa());
	}

	boolean isWithJpa() {
		return true;
	}

	@ParameterizedTest
	@ValueSource(strings = { "/update", "/batch", "/execute", "/aware", "/by-hand", "/callable", "/executor",
			"/between-phases", "/after-commit", "/after-rollback", "/after-requires-new", "/after-nothing", "/supports",
			"/after-supports", "/within-callback", "/within-not-supported" })
	void aWriteOutsideATransactionFails(String path, CapturedOutput output) {
		assertThat(post(path, "first").status()).isEqualTo(500);
		assertThat(output).contains("POST " + path + " writes outside Spring's transactions", "@Transactional",
				"idempotency.test.check-unfenced-writes=false");
		assertThat(post(path, "second").status()).as("each time").isEqualTo(500);
		assertClean();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/update", "/batch", "/callable", "/supports" })
	void aWriteThatIsKnownInAdvanceIsNotMade(String path) {
		String label = UUID.randomUUID().toString();
		assertThat(post(path, label).status()).isEqualTo(500);
		assertThat(this.jdbc.queryForList("select item from shipment where item = ?", label)).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/read", "/service", "/transactional", "/requires-new", "/not-supported", "/other-manager",
			"/other-data-source", "/mode-transactional", "/phase", "/failing-query", "/nested" })
	void otherHandlersSucceed(String path, CapturedOutput output) {
		assertThat(post(path, UUID.randomUUID().toString()).status()).isEqualTo(201);
		assertThat(output).doesNotContain("writes outside", "IDEM-1401");
		assertClean();
	}

	@Test
	void connectionsAreThoseThatHandlersGetWithoutTheCheck() {
		assertThat(new String(post("/connections", "item").body()))
			.isEqualTo("another, the same in a scope, unwrapped");
		assertClean();
	}

	/**
	 * The only thread of the container carries nothing, and the pool has all connections
	 * back; workers may have one for a moment.
	 */
	private void assertClean() {
		this.client.get().uri("/bound").exchange().expectBody(String.class).isEqualTo("{}");
		await().untilAsserted(() -> assertThat(this.pool.getHikariPoolMXBean().getActiveConnections()).isZero());
	}

	private DeliveredResponse post(String path, String label) {
		return DeliveredResponse.of(this.client.post()
			.uri(path + "?label=" + label)
			.header("Idempotency-Key", UUID.randomUUID().toString())
			.exchange());
	}

	@RestController
	static class Bindings {

		@GetMapping("/bound")
		String bound() {
			return TransactionSynchronizationManager.getResourceMap().toString();
		}

	}

	@TestConfiguration(proxyBeanMethods = false)
	static class AnotherDataSource {

		@Bean(defaultCandidate = false)
		DataSource another(JdbcConnectionDetails details) {
			return new SimpleDriverDataSource(new org.postgresql.Driver(), details.getJdbcUrl(), details.getUsername(),
					details.getPassword());
		}

	}

}
