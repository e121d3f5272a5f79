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
import java.sql.Connection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.phase.Phases;

import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

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
		application = RunningApplication.start(List.of(Handlers.class, Bindings.class), SETTINGS);
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
		try (RunningApplication strict = RunningApplication.start(Handlers.class,
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
		try (RunningApplication silent = RunningApplication.start(Handlers.class,
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
	 * back.
	 */
	private static void assertClean() {
		HttpResponse<byte[]> bound = application.send(application.request(ALICE, "/bound"));
		assertThat(new String(bound.body())).isEqualTo("{}");
		assertThat(application.context().getBean(HikariDataSource.class).getHikariPoolMXBean().getActiveConnections())
			.isZero();
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

	@RestController
	@Idempotent(mode = Mode.LEASED)
	static class Handlers {

		private static final String INSERT = "insert into effect (id, label) values (?, ?)";

		private final Effects effects;

		private final AsyncTaskExecutor executor;

		private final DataSource dataSource;

		private final PlatformTransactionManager transactionManager;

		private final JdbcTemplate jdbc;

		Handlers(Effects effects, AsyncTaskExecutor executor, DataSource dataSource,
				PlatformTransactionManager transactionManager, JdbcTemplate jdbc) {
			this.effects = effects;
			this.executor = executor;
			this.dataSource = dataSource;
			this.transactionManager = transactionManager;
			this.jdbc = jdbc;
		}

		@PostMapping("/update")
		ResponseEntity<String> update(@RequestParam String label) {
			JdbcClient.create(this.dataSource).sql(INSERT).params(id(), label).update();
			return created();
		}

		@PostMapping("/batch")
		ResponseEntity<String> batch(@RequestParam String label) {
			this.jdbc.batchUpdate(INSERT, List.of(new Object[] { id(), label }, new Object[] { id(), label }));
			return created();
		}

		@PostMapping("/execute")
		ResponseEntity<String> execute() {
			this.jdbc.execute("insert into effect (id, label) values ('" + id() + "', 'executed')");
			return created();
		}

		@PostMapping("/aware")
		ResponseEntity<String> aware(@RequestParam String label) {
			new JdbcTemplate(new TransactionAwareDataSourceProxy(this.dataSource)).update(INSERT, id(), label);
			return created();
		}

		@PostMapping("/by-hand")
		ResponseEntity<String> byHand(@RequestParam String label) {
			this.jdbc.execute((Connection connection) -> {
				connection.setAutoCommit(false);
				try (var statement = connection.prepareStatement(INSERT)) {
					statement.setObject(1, id());
					statement.setString(2, label);
					statement.executeUpdate();
				}
				connection.commit();
				connection.setAutoCommit(true);
				return null;
			});
			return created();
		}

		@PostMapping("/callable")
		Callable<ResponseEntity<String>> callable(@RequestParam String label) {
			return () -> write(label);
		}

		@PostMapping("/executor")
		CompletableFuture<ResponseEntity<String>> executor(@RequestParam String label) {
			return CompletableFuture.supplyAsync(() -> write(label), this.executor);
		}

		@PostMapping("/between-phases")
		ResponseEntity<String> betweenPhases(@RequestParam String label, Phases phases) {
			phases.atomic("first", () -> this.jdbc.update(INSERT, id(), label));
			write(label);
			return phases.finish(Handlers::created);
		}

		@PostMapping("/after-commit")
		ResponseEntity<String> afterCommit(@RequestParam String label) {
			this.effects.record(label);
			return write(label);
		}

		@PostMapping("/after-rollback")
		ResponseEntity<String> afterRollback(@RequestParam String label) {
			template(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult((status) -> {
				this.effects.record(label);
				status.setRollbackOnly();
			});
			return write(label);
		}

		@PostMapping("/after-requires-new")
		ResponseEntity<String> afterRequiresNew(@RequestParam String label) {
			template(TransactionDefinition.PROPAGATION_REQUIRED)
				.executeWithoutResult((outer) -> template(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
					.executeWithoutResult((inner) -> this.jdbc.update(INSERT, id(), label)));
			return write(label);
		}

		@PostMapping("/after-nothing")
		ResponseEntity<String> afterNothing(@RequestParam String label) {
			template(TransactionDefinition.PROPAGATION_NOT_SUPPORTED)
				.executeWithoutResult((status) -> this.jdbc.queryForList("select id from effect"));
			return write(label);
		}

		@PostMapping("/supports")
		ResponseEntity<String> supports(@RequestParam String label) {
			template(TransactionDefinition.PROPAGATION_SUPPORTS).executeWithoutResult((status) -> write(label));
			return created();
		}

		@PostMapping("/after-supports")
		ResponseEntity<String> afterSupports(@RequestParam String label) {
			template(TransactionDefinition.PROPAGATION_SUPPORTS).executeWithoutResult((status) -> {
				this.jdbc.queryForList("select id from effect");
				this.effects.record(label);
				this.jdbc.queryForList("select id from effect");
			});
			return write(label);
		}

		@PostMapping("/within-callback")
		ResponseEntity<String> withinCallback(@RequestParam String label) {
			return this.jdbc.execute((Connection connection) -> {
				this.effects.record(label);
				return write(label);
			});
		}

		@PostMapping("/read")
		ResponseEntity<String> read(@RequestParam String label) {
			this.jdbc.queryForList("select id from effect where label = ?", label);
			this.jdbc.execute("select count(*) from effect");
			return created();
		}

		@PostMapping("/service")
		ResponseEntity<String> service(@RequestParam String label) {
			this.effects.record(label);
			this.jdbc.queryForList("select id from effect where label = ?", label);
			this.effects.record(label);
			return created();
		}

		@Transactional
		@PostMapping("/transactional")
		public ResponseEntity<String> transactional(@RequestParam String label) {
			this.effects.record(label);
			return write(label);
		}

		@PostMapping("/requires-new")
		ResponseEntity<String> requiresNew(@RequestParam String label) {
			template(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult((outer) -> {
				template(TransactionDefinition.PROPAGATION_REQUIRES_NEW).executeWithoutResult((inner) -> write(label));
				write(label);
			});
			return created();
		}

		@PostMapping("/not-supported")
		ResponseEntity<String> notSupported(@RequestParam String label) {
			template(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult((outer) -> {
				template(TransactionDefinition.PROPAGATION_NOT_SUPPORTED)
					.executeWithoutResult((none) -> this.jdbc.queryForList("select id from effect"));
				write(label);
			});
			return created();
		}

		/**
		 * A transaction manager that the library has never seen.
		 */
		@PostMapping("/other-manager")
		ResponseEntity<String> otherManager(@RequestParam String label) {
			new TransactionTemplate(new DataSourceTransactionManager(this.dataSource))
				.executeWithoutResult((status) -> write(label));
			return created();
		}

		@Idempotent(mode = Mode.TRANSACTIONAL)
		@PostMapping("/mode-transactional")
		ResponseEntity<String> modeTransactional(@RequestParam String label) {
			return write(label);
		}

		@PostMapping("/phase")
		ResponseEntity<String> phase(@RequestParam String label, Phases phases) {
			phases.atomic("first", () -> this.jdbc.update(INSERT, id(), label));
			return phases.finish(() -> write(label));
		}

		@PostMapping("/failing-query")
		ResponseEntity<String> failingQuery() {
			try {
				this.jdbc.queryForList("select nothing from nowhere");
			}
			catch (org.springframework.dao.DataAccessException ex) {
				return created();
			}
			return ResponseEntity.internalServerError().build();
		}

		@PostMapping("/connections")
		ResponseEntity<String> connections() {
			StringBuilder found = new StringBuilder();
			Connection one = DataSourceUtils.getConnection(this.dataSource);
			Connection two = DataSourceUtils.getConnection(this.dataSource);
			found.append(one.equals(two) ? "the same" : "another");
			DataSourceUtils.releaseConnection(two, this.dataSource);
			DataSourceUtils.releaseConnection(one, this.dataSource);
			template(TransactionDefinition.PROPAGATION_SUPPORTS).executeWithoutResult((status) -> {
				Connection first = DataSourceUtils.getConnection(this.dataSource);
				DataSourceUtils.releaseConnection(first, this.dataSource);
				Connection second = DataSourceUtils.getConnection(this.dataSource);
				DataSourceUtils.releaseConnection(second, this.dataSource);
				found.append(first.equals(second) ? ", the same in a scope" : ", another in a scope");
			});
			this.jdbc.execute((Connection connection) -> {
				boolean wraps = connection.isWrapperFor(PGConnection.class);
				return found.append((wraps && connection.unwrap(PGConnection.class) != null) ? ", unwrapped" : "");
			});
			return ResponseEntity.ok(found.toString());
		}

		private TransactionTemplate template(int propagation) {
			TransactionTemplate template = new TransactionTemplate(this.transactionManager);
			template.setPropagationBehavior(propagation);
			return template;
		}

		private ResponseEntity<String> write(String label) {
			this.jdbc.update(INSERT, id(), label);
			return created();
		}

		private static UUID id() {
			return UUID.randomUUID();
		}

		private static ResponseEntity<String> created() {
			return ResponseEntity.status(201).body("done");
		}

	}

}
