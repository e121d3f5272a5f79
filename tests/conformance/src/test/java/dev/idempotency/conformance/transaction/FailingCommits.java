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
package dev.idempotency.conformance.transaction;

import java.util.Map;

import org.springframework.context.annotation.Import;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;

/**
 * The operations of {@link CommitFailureTests}.
 */
@RestController
@Import(CommitFailureTests.Ledger.class)
class FailingCommits {

	private final Effects effects;

	private final JdbcTemplate jdbc;

	private final CommitFailureTests.Ledger ledger;

	FailingCommits(Effects effects, JdbcTemplate jdbc, CommitFailureTests.Ledger ledger) {
		this.effects = effects;
		this.jdbc = jdbc;
		this.ledger = ledger;
	}

	@Idempotent
	@PostMapping("/deferred")
	@ResponseStatus(HttpStatus.CREATED)
	Map<String, Object> deferred(@RequestBody Labelled payment) {
		insert("deferred_unique", payment);
		return record(payment);
	}

	@Idempotent
	@PostMapping("/direct")
	@ResponseStatus(HttpStatus.CREATED)
	Map<String, Object> direct(@RequestBody Labelled payment) {
		Map<String, Object> answer = record(payment);
		insert("direct_unique", payment);
		return answer;
	}

	@Idempotent
	@PostMapping("/serializable")
	@ResponseStatus(HttpStatus.CREATED)
	Map<String, Object> serializable(@RequestBody Labelled payment) {
		insert("unserializable", payment);
		return record(payment);
	}

	@Idempotent
	@PostMapping("/rollback-only")
	@ResponseStatus(HttpStatus.CREATED)
	@Transactional
	public Map<String, Object> rollbackOnly(@RequestBody Labelled payment) {
		if (isRefused(payment)) {
			TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
		}
		return record(payment);
	}

	@Idempotent
	@PostMapping("/veto")
	@ResponseStatus(HttpStatus.CREATED)
	Map<String, Object> veto(@RequestBody Labelled payment) {
		boolean refused = isRefused(payment);
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void beforeCommit(boolean readOnly) {
				if (refused) {
					throw new IllegalStateException("veto");
				}
			}

		});
		return record(payment);
	}

	@Idempotent
	@PostMapping("/after-commit")
	@ResponseStatus(HttpStatus.CREATED)
	Map<String, Object> afterCommit(@RequestBody Labelled payment) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCommit() {
				throw new IllegalStateException("too late");
			}

		});
		return record(payment);
	}

	@Idempotent
	@PostMapping("/swallowed")
	@ResponseStatus(HttpStatus.CREATED)
	Map<String, Object> swallowed(@RequestBody Labelled payment) {
		try {
			this.ledger.post(isRefused(payment));
		}
		catch (IllegalStateException ex) {
			// What users do, and what marks the transaction rollback-only.
		}
		return record(payment);
	}

	private Map<String, Object> record(Labelled payment) {
		return Map.of("id", this.effects.record(payment.label()).getId());
	}

	private boolean isRefused(Labelled payment) {
		return !this.jdbc.queryForList("select name from refusal where name = ?", payment.label()).isEmpty();
	}

	private void insert(String table, Labelled payment) {
		this.jdbc.update("insert into " + table + " values (?)", payment.label());
	}

	@ExceptionHandler
	@ResponseStatus(HttpStatus.CONFLICT)
	String conflict(DataIntegrityViolationException ex) {
		return "conflict";
	}

}
