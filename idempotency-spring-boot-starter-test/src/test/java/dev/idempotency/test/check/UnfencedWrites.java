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

import java.sql.Connection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import javax.sql.DataSource;

import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.phase.Phases;

/**
 * Handlers that write outside Spring's transactions, in each way that there is.
 */
@RestController
@Idempotent(mode = Mode.LEASED)
class UnfencedWrites {

	static final String INSERT = "insert into shipment (item) values (?)";

	private final Shipments shipments;

	private final AsyncTaskExecutor executor;

	private final DataSource dataSource;

	private final PlatformTransactionManager transactionManager;

	private final JdbcTemplate jdbc;

	UnfencedWrites(Shipments shipments, AsyncTaskExecutor executor, DataSource dataSource,
			PlatformTransactionManager transactionManager, JdbcTemplate jdbc) {
		this.shipments = shipments;
		this.executor = executor;
		this.dataSource = dataSource;
		this.transactionManager = transactionManager;
		this.jdbc = jdbc;
	}

	@PostMapping("/update")
	ResponseEntity<String> update(@RequestParam String label) {
		JdbcClient.create(this.dataSource).sql(INSERT).params(label).update();
		return created();
	}

	@PostMapping("/batch")
	ResponseEntity<String> batch(@RequestParam String label) {
		this.jdbc.batchUpdate(INSERT, List.of(new Object[] { label }, new Object[] { label }));
		return created();
	}

	@PostMapping("/execute")
	ResponseEntity<String> execute() {
		this.jdbc.execute("insert into shipment (item) values ('executed')");
		return created();
	}

	@PostMapping("/aware")
	ResponseEntity<String> aware(@RequestParam String label) {
		new JdbcTemplate(new TransactionAwareDataSourceProxy(this.dataSource)).update(INSERT, label);
		return created();
	}

	@PostMapping("/by-hand")
	ResponseEntity<String> byHand(@RequestParam String label) {
		this.jdbc.execute((Connection connection) -> {
			connection.setAutoCommit(false);
			try (var statement = connection.prepareStatement(INSERT)) {
				statement.setString(1, label);
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
		phases.atomic("first", () -> this.jdbc.update(INSERT, label));
		write(label);
		return phases.finish(UnfencedWrites::created);
	}

	@PostMapping("/after-commit")
	ResponseEntity<String> afterCommit(@RequestParam String label) {
		this.shipments.record(label);
		return write(label);
	}

	@PostMapping("/after-rollback")
	ResponseEntity<String> afterRollback(@RequestParam String label) {
		template(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult((status) -> {
			this.shipments.record(label);
			status.setRollbackOnly();
		});
		return write(label);
	}

	@PostMapping("/after-requires-new")
	ResponseEntity<String> afterRequiresNew(@RequestParam String label) {
		template(TransactionDefinition.PROPAGATION_REQUIRED)
			.executeWithoutResult((outer) -> template(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
				.executeWithoutResult((inner) -> this.jdbc.update(INSERT, label)));
		return write(label);
	}

	@PostMapping("/after-nothing")
	ResponseEntity<String> afterNothing(@RequestParam String label) {
		template(TransactionDefinition.PROPAGATION_NOT_SUPPORTED)
			.executeWithoutResult((status) -> this.jdbc.queryForList("select item from shipment"));
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
			this.jdbc.queryForList("select item from shipment");
			this.shipments.record(label);
			this.jdbc.queryForList("select item from shipment");
		});
		return write(label);
	}

	@PostMapping("/within-callback")
	ResponseEntity<String> withinCallback(@RequestParam String label) {
		return this.jdbc.execute((Connection connection) -> {
			this.shipments.record(label);
			return write(label);
		});
	}

	@PostMapping("/within-not-supported")
	ResponseEntity<String> withinNotSupported(@RequestParam String label) {
		return template(TransactionDefinition.PROPAGATION_REQUIRED).execute(
				(outer) -> template(TransactionDefinition.PROPAGATION_NOT_SUPPORTED).execute((none) -> write(label)));
	}

	private TransactionTemplate template(int propagation) {
		TransactionTemplate template = new TransactionTemplate(this.transactionManager);
		template.setPropagationBehavior(propagation);
		return template;
	}

	private ResponseEntity<String> write(String label) {
		this.jdbc.update(INSERT, label);
		return created();
	}

	static ResponseEntity<String> created() {
		return ResponseEntity.status(201).body("done");
	}

}
