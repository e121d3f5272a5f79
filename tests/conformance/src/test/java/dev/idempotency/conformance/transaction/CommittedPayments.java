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

import jakarta.persistence.EntityManager;
import jakarta.transaction.Synchronization;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.engine.spi.TransactionCompletionCallbacks.BeforeCompletionCallback;

import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;

/**
 * The operations of {@link CommitWithRecordTests}.
 */
@RestController
class CommittedPayments {

	private final Effects effects;

	private final EntityManager entityManager;

	private final JdbcTemplate jdbc;

	CommittedPayments(Effects effects, EntityManager entityManager, JdbcTemplate jdbc) {
		this.effects = effects;
		this.entityManager = entityManager;
		this.jdbc = jdbc;
	}

	@Idempotent
	@PostMapping("/plain")
	@ResponseStatus(HttpStatus.CREATED)
	Map<String, Object> plain(@RequestBody Labelled payment) {
		return record(payment);
	}

	@Idempotent
	@PostMapping("/checked")
	@ResponseStatus(HttpStatus.CREATED)
	Map<String, Object> checked(@RequestBody Labelled payment) {
		this.jdbc.update("insert into checked values (?)", payment.label());
		return record(payment);
	}

	/**
	 * Another thread has its own connection, and commits on its own.
	 */
	@Idempotent
	@PostMapping("/overtaken")
	@ResponseStatus(HttpStatus.CREATED)
	Map<String, Object> overtaken(@RequestBody Labelled payment) throws InterruptedException {
		Thread other = new Thread(() -> this.jdbc.update("insert into idempotency_record select * from kept"));
		other.start();
		other.join();
		return record(payment);
	}

	@Idempotent
	@PostMapping("/callbacks")
	@ResponseStatus(HttpStatus.CREATED)
	Map<String, Object> callbacks(@RequestBody Labelled payment) {
		atCommit(() -> {
			record(payment);
			atCommit(() -> {
				record(payment);
				refuse(payment);
			});
		});
		return record(payment);
	}

	@Idempotent
	@PostMapping("/synchronization")
	@ResponseStatus(HttpStatus.CREATED)
	Map<String, Object> synchronization(@RequestBody Labelled payment) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void beforeCommit(boolean readOnly) {
				atCommit(() -> record(payment));
			}

		});
		return record(payment);
	}

	/**
	 * The session calls these after everything else of its own.
	 */
	@Idempotent
	@PostMapping("/local-synchronization")
	@ResponseStatus(HttpStatus.CREATED)
	Map<String, Object> localSynchronization(@RequestBody Labelled payment) {
		this.entityManager.unwrap(SessionImplementor.class)
			.getTransaction()
			.registerSynchronization(beforeCompletion(() -> {
				insert(payment);
				refuse(payment);
			}));
		return record(payment);
	}

	@Idempotent
	@PostMapping("/late-local-synchronization")
	@ResponseStatus(HttpStatus.CREATED)
	Map<String, Object> lateLocalSynchronization(@RequestBody Labelled payment) {
		atCommit(() -> {
			record(payment);
			this.entityManager.unwrap(SessionImplementor.class)
				.getTransaction()
				.registerSynchronization(beforeCompletion(() -> {
					insert(payment);
					refuse(payment);
				}));
		});
		return record(payment);
	}

	private void insert(Labelled payment) {
		this.jdbc.update("insert into effect (id, label) values (gen_random_uuid(), ?)", payment.label());
	}

	private static Synchronization beforeCompletion(Runnable work) {
		return new Synchronization() {

			@Override
			public void beforeCompletion() {
				work.run();
			}

			@Override
			public void afterCompletion(int status) {
			}

		};
	}

	private void atCommit(Runnable work) {
		BeforeCompletionCallback callback = (SharedSessionContractImplementor session) -> {
			work.run();
			this.entityManager.flush();
		};
		this.entityManager.unwrap(SessionImplementor.class)
			.getTransactionCompletionCallbacks()
			.registerCallback(callback);
	}

	private Map<String, Object> record(Labelled payment) {
		return Map.of("id", this.effects.record(payment.label()).getId());
	}

	static void refuse(Labelled payment) {
		if (payment.label().equals("refused")) {
			throw new IllegalStateException("refused");
		}
	}

}
