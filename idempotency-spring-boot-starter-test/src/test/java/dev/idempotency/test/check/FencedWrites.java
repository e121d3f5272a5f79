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

import javax.sql.DataSource;

import org.postgresql.PGConnection;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.IdempotencyRequest;
import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.phase.PhaseOperations;
import dev.idempotency.phase.Phases;

/**
 * Handlers that read, or write within transactions: nothing of them is unfenced.
 */
@RestController
@Idempotent(mode = Mode.LEASED)
class FencedWrites {

	private final Shipments shipments;

	private final DataSource dataSource;

	private final PlatformTransactionManager transactionManager;

	private final JdbcTemplate jdbc;

	private final DataSource another;

	private final PhaseOperations phases;

	FencedWrites(Shipments shipments, DataSource dataSource, PlatformTransactionManager transactionManager,
			JdbcTemplate jdbc, @Qualifier("another") DataSource another, PhaseOperations phases) {
		this.phases = phases;
		this.another = another;
		this.shipments = shipments;
		this.dataSource = dataSource;
		this.transactionManager = transactionManager;
		this.jdbc = jdbc;
	}

	@PostMapping("/read")
	ResponseEntity<String> read(@RequestParam String label) {
		this.jdbc.queryForList("select item from shipment where item = ?", label);
		this.jdbc.execute("select count(*) from shipment");
		return UnfencedWrites.created();
	}

	@PostMapping("/service")
	ResponseEntity<String> service(@RequestParam String label) {
		this.shipments.record(label);
		this.jdbc.queryForList("select item from shipment where item = ?", label);
		this.shipments.record(label);
		return UnfencedWrites.created();
	}

	@Transactional
	@PostMapping("/transactional")
	public ResponseEntity<String> transactional(@RequestParam String label) {
		this.shipments.record(label);
		return write(label);
	}

	@PostMapping("/requires-new")
	ResponseEntity<String> requiresNew(@RequestParam String label) {
		template(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult((outer) -> {
			template(TransactionDefinition.PROPAGATION_REQUIRES_NEW).executeWithoutResult((inner) -> write(label));
			write(label);
		});
		return UnfencedWrites.created();
	}

	@PostMapping("/not-supported")
	ResponseEntity<String> notSupported(@RequestParam String label) {
		template(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult((outer) -> {
			template(TransactionDefinition.PROPAGATION_NOT_SUPPORTED)
				.executeWithoutResult((none) -> this.jdbc.queryForList("select item from shipment"));
			write(label);
		});
		return UnfencedWrites.created();
	}

	/**
	 * The library claims and releases a second lease on connections that are outside
	 * Spring's transactions.
	 */
	@PostMapping("/nested")
	ResponseEntity<String> nested(@RequestParam String label) {
		try {
			this.phases.execute(IdempotencyRequest.of("shipment.announce", label), String.class, (nested) -> {
				throw new UnsupportedOperationException("declined");
			});
		}
		catch (UnsupportedOperationException ex) {
			return UnfencedWrites.created();
		}
		return ResponseEntity.internalServerError().build();
	}

	/**
	 * A transaction manager that the library has never seen.
	 */
	@PostMapping("/other-manager")
	ResponseEntity<String> otherManager(@RequestParam String label) {
		new TransactionTemplate(new DataSourceTransactionManager(this.dataSource))
			.executeWithoutResult((status) -> write(label));
		return UnfencedWrites.created();
	}

	/**
	 * To which the fence does not apply.
	 */
	@PostMapping("/other-data-source")
	ResponseEntity<String> otherDataSource(@RequestParam String label) {
		new JdbcTemplate(this.another).update(UnfencedWrites.INSERT, label);
		return UnfencedWrites.created();
	}

	@Idempotent(mode = Mode.TRANSACTIONAL)
	@PostMapping("/mode-transactional")
	ResponseEntity<String> modeTransactional(@RequestParam String label) {
		return write(label);
	}

	@PostMapping("/phase")
	ResponseEntity<String> phase(@RequestParam String label, Phases phases) {
		phases.atomic("first", () -> this.jdbc.update(UnfencedWrites.INSERT, label));
		return phases.finish(() -> write(label));
	}

	@PostMapping("/failing-query")
	ResponseEntity<String> failingQuery() {
		try {
			this.jdbc.queryForList("select nothing from nowhere");
		}
		catch (org.springframework.dao.DataAccessException ex) {
			return UnfencedWrites.created();
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
		this.jdbc.update(UnfencedWrites.INSERT, label);
		return UnfencedWrites.created();
	}

}
