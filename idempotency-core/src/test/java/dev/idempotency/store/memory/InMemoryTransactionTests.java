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
package dev.idempotency.store.memory;

import java.time.Duration;
import java.time.InstantSource;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;

import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionTemplate;

import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.EncodedResponse;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.Identity;
import dev.idempotency.store.StoredRecord;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The store in memory commits and rolls back with Spring's transactions.
 */
class InMemoryTransactionTests {

	private static final Identity IDENTITY = new Identity(new byte[32], new byte[16]);

	private final InMemoryIdempotencyStore store = new InMemoryIdempotencyStore("test", InstantSource.system());

	private final InMemoryTransactionManager transactionManager = new InMemoryTransactionManager();

	private <T> T run(int propagation, Supplier<T> work) {
		TransactionTemplate transactions = new TransactionTemplate(this.transactionManager);
		transactions.setPropagationBehavior(propagation);
		return transactions.execute((status) -> work.get());
	}

	private boolean write() {
		return this.store.finish(
				new FinishedRecord(IDENTITY, "test", new byte[1], new EncodedResponse(200, null), Duration.ofHours(1)));
	}

	@Test
	void withoutATransactionThereIsNothingToTakePartIn() {
		assertThatExceptionOfType(IllegalTransactionStateException.class).isThrownBy(() -> this.store.acquire(IDENTITY))
			.withMessageContaining("none is open on this thread");
	}

	@Test
	void anExceptionRollsTheRecordBack() {
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> run(TransactionDefinition.PROPAGATION_REQUIRED, () -> {
				assertThat(write()).isTrue();
				throw new IllegalStateException("The handler failed");
			}));
		assertThat(this.store.probe(IDENTITY)).isInstanceOf(ClaimResult.Acquired.class);
	}

	@Test
	void anInnerTransactionJoinsAndFailsWithTheOuterOne() {
		assertThatExceptionOfType(UnexpectedRollbackException.class)
			.isThrownBy(() -> run(TransactionDefinition.PROPAGATION_REQUIRED, () -> {
				assertThat(write()).isTrue();
				assertThatExceptionOfType(IllegalStateException.class)
					.isThrownBy(() -> run(TransactionDefinition.PROPAGATION_REQUIRED, () -> {
						throw new IllegalStateException("The repository failed");
					}));
				return true;
			}));
		assertThat(this.store.probe(IDENTITY)).isInstanceOf(ClaimResult.Acquired.class);
	}

	@Test
	void aNewTransactionIsAnotherOne() {
		run(TransactionDefinition.PROPAGATION_REQUIRED, () -> {
			assertThat(this.store.acquire(IDENTITY)).isInstanceOf(ClaimResult.Acquired.class);
			assertThat(run(TransactionDefinition.PROPAGATION_REQUIRES_NEW, () -> this.store.acquire(IDENTITY)))
				.isInstanceOf(ClaimResult.Busy.class);
			return write();
		});
		assertThat(this.store.probe(IDENTITY)).isInstanceOf(StoredRecord.class);
	}

}
