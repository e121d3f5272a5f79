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
package dev.idempotency.conformance.lease;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.UUID;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Writes of LEASED handlers outside Spring's transactions: no fence can hold them back,
 * so they are reported.
 */
@Tag("X23")
@Tag("postgresql")
@ExtendWith(OutputCaptureExtension.class)
class UnfencedWriteTests {

	private static final String[] SETTINGS = { "server.tomcat.threads.max=1", "spring.jpa.open-in-view=false",
			"logging.level.org.hibernate=error" };

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(List.of(UnfencedWrites.class, FencedWrites.class, Bindings.class),
				SETTINGS);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/update", "/batch", "/execute", "/aware", "/by-hand", "/callable", "/executor",
			"/between-phases", "/after-commit", "/after-rollback", "/after-requires-new", "/after-nothing", "/supports",
			"/after-supports", "/within-callback" })
	void theFirstWriteOutsideATransactionIsReported(String path, CapturedOutput output) {
		assertThat(post(path).statusCode()).isEqualTo(201);
		assertThat(post(path).statusCode()).isEqualTo(201);
		assertThat(reports(output, path)).as("once for the operation").singleElement().satisfies((line) -> {
			assertThat(line).contains("WARN", "POST " + path, "@Transactional");
		});
		assertClean();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/read", "/service", "/transactional", "/requires-new", "/not-supported", "/other-manager",
			"/mode-transactional", "/phase", "/failing-query" })
	void otherHandlersAreNotReported(String path, CapturedOutput output) {
		assertThat(post(path).statusCode()).isEqualTo(201);
		assertThat(output).doesNotContain("IDEM-1314");
		assertClean();
	}

	@Test
	void connectionsAreThoseThatHandlersGetWithoutTheReport() {
		assertThat(new String(post("/connections").body())).isEqualTo("another, the same in a scope, unwrapped");
		assertClean();
	}

	@Test
	void aWriteIsRefusedWhereTheApplicationWantsThat(CapturedOutput output) {
		try (RunningApplication strict = RunningApplication.start(List.of(UnfencedWrites.class, FencedWrites.class),
				"idempotency.lease.unfenced-writes=fail")) {
			HttpResponse<byte[]> refused = post(strict, "/update");
			assertThat(refused.statusCode()).isEqualTo(500);
			assertThat(strict.jdbc().queryForObject("select count(*) from effect", Long.class)).isZero();
			assertThat(post(strict, "/update").statusCode()).as("each time").isEqualTo(500);
			assertThat(post(strict, "/service").statusCode()).isEqualTo(201);
			assertThat(output).contains("POST /update");
		}
	}

	@Test
	void aWriteIsNotReportedWhereTheApplicationWantsThat(CapturedOutput output) {
		try (RunningApplication silent = RunningApplication.start(UnfencedWrites.class,
				"idempotency.lease.unfenced-writes=ignore")) {
			assertThat(post(silent, "/update").statusCode()).isEqualTo(201);
			assertThat(output).doesNotContain("IDEM-1314");
		}
	}

	private static List<String> reports(CapturedOutput output, String path) {
		return output.getAll()
			.lines()
			.filter((line) -> line.contains("IDEM-1314") && line.contains("POST " + path + " "))
			.toList();
	}

	/**
	 * The only thread of the container carries nothing, and the pool has all connections
	 * back; workers may have one for a moment.
	 */
	private static void assertClean() {
		HttpResponse<byte[]> bound = application.send(application.request(ALICE, "/bound"));
		assertThat(new String(bound.body())).isEqualTo("{}");
		HikariPoolMXBean pool = application.context().getBean(HikariDataSource.class).getHikariPoolMXBean();
		await().untilAsserted(() -> assertThat(pool.getActiveConnections()).isZero());
	}

	private static HttpResponse<byte[]> post(String path) {
		return post(application, path);
	}

	private static HttpResponse<byte[]> post(RunningApplication application, String path) {
		String key = UUID.randomUUID().toString();
		return application.post(ALICE, path + "?label=" + key, key, "\"x\"");
	}

	@RestController
	static class Bindings {

		@GetMapping("/bound")
		String bound() {
			return TransactionSynchronizationManager.getResourceMap().toString();
		}

	}

}
