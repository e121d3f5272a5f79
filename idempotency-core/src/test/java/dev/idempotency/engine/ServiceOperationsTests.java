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
package dev.idempotency.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import dev.idempotency.IdempotencyNotification.Released;
import dev.idempotency.IdempotencyOperations;
import dev.idempotency.IdempotencyRequest;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Scope;
import dev.idempotency.ReplayAuthorizer.ReplayAttempt;
import dev.idempotency.account.Account;
import dev.idempotency.account.AnonymousAccess;
import dev.idempotency.account.Sender;
import dev.idempotency.engine.identity.CallerAccounts;
import dev.idempotency.engine.identity.CallerAccounts.TenantSource;
import dev.idempotency.engine.identity.DigestKeys;
import dev.idempotency.engine.identity.IdentityFactory;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.exception.KeyReusedException;
import dev.idempotency.exception.RequestInProgressException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Operations of services, over the store in memory.
 */
class ServiceOperationsTests {

	private static final IdempotencyRequest PAYMENT = IdempotencyRequest.of("pay", "key")
		.withAccount(Account.SHARED)
		.withContent("5 EUR");

	private final TestEngine test = new TestEngine();

	private final RequestTransactions transactions = this.test.watched;

	private final OperationCalls calls = new OperationCalls(
			new IdentityFactory("test", IdentityFactory::defaultScopeName, DigestKeys.none()),
			new CallerAccounts(() -> null, TenantSource.NONE, Sender::of, AnonymousAccess.SHARE, () -> false, 1),
			new OperationFactory.Defaults(Scope.ACCOUNT, Mode.TRANSACTIONAL, true, Duration.ofHours(1), null),
			JsonMapper.shared());

	private final IdempotencyOperations operations = this.calls.operations(this.test.engine, this.transactions);

	private final AtomicInteger payments = new AtomicInteger();

	private int pay() {
		return this.payments.incrementAndGet();
	}

	private Integer execute(IdempotencyRequest request, Supplier<Integer> work) {
		return this.operations.execute(request, Integer.class, work);
	}

	@Test
	void aCallIsExecutedOnceAndItsValueIsReturnedAgain() {
		assertThat(execute(PAYMENT, this::pay)).isEqualTo(1);
		assertThat(execute(PAYMENT, this::pay)).isEqualTo(1);
		assertThat(this.payments).hasValue(1);
	}

	@Test
	void aKeyIsForOneContent() {
		execute(PAYMENT, this::pay);
		assertThatExceptionOfType(KeyReusedException.class)
			.isThrownBy(() -> execute(PAYMENT.withContent("6 EUR"), this::pay));
	}

	@Test
	void aFailureIsThrownAndTheNextCallRuns() {
		IllegalArgumentException failure = new IllegalArgumentException("declined");
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> execute(PAYMENT, () -> {
			throw failure;
		})).isSameAs(failure);
		assertThat(execute(PAYMENT, this::pay)).isEqualTo(1);
	}

	@Test
	void aCallDoesNotCallItself() {
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> execute(PAYMENT, () -> execute(PAYMENT, this::pay)))
			.withMessageContaining("pay calls itself with the same idempotency key");
		assertThatExceptionOfType(KeyReusedException.class)
			.isThrownBy(() -> execute(PAYMENT, () -> execute(PAYMENT.withContent("6 EUR"), this::pay)));
		assertThat(execute(PAYMENT,
				() -> execute(IdempotencyRequest.of("pay", "another").withAccount(Account.SHARED), this::pay)))
			.isEqualTo(1);
	}

	@Test
	void aCallTakesPartInTheTransactionOfItsCaller() {
		TransactionTemplate transaction = new TransactionTemplate(this.test.transactions);
		transaction.executeWithoutResult((status) -> {
			execute(PAYMENT, this::pay);
			status.setRollbackOnly();
		});
		assertThat(execute(PAYMENT, this::pay)).isEqualTo(2);
	}

	@Test
	void aReadOnlyTransactionIsRefused() {
		DefaultTransactionDefinition readOnly = new DefaultTransactionDefinition();
		readOnly.setReadOnly(true);
		assertThatExceptionOfType(IllegalTransactionStateException.class)
			.isThrownBy(() -> new TransactionTemplate(this.test.transactions, readOnly)
				.execute((status) -> execute(PAYMENT, this::pay)))
			.withMessageContaining("read-only");
		assertThat(this.payments).hasValue(0);
	}

	@Test
	void aTransactionThatHasEndedIsRefused() {
		assertThatExceptionOfType(IllegalTransactionStateException.class)
			.isThrownBy(() -> new TransactionTemplate(this.test.transactions)
				.executeWithoutResult((status) -> TransactionSynchronizationManager
					.registerSynchronization(new TransactionSynchronization() {

						@Override
						public void afterCommit() {
							execute(PAYMENT, ServiceOperationsTests.this::pay);
						}

					})))
			.withMessageContaining("would run in a transaction that has ended");
		assertThat(this.payments).hasValue(0);
	}

	@Test
	void aTransactionThatIsLeftOpenIsRefusedAndNothingIsKept() {
		DefaultTransactionDefinition another = new DefaultTransactionDefinition(
				DefaultTransactionDefinition.PROPAGATION_REQUIRES_NEW);
		assertThatExceptionOfType(InvalidIdempotentException.class).isThrownBy(() -> execute(PAYMENT, () -> {
			this.test.transactions.getTransaction(another);
			return pay();
		})).withMessageContaining("has not ended it");
		assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isFalse();
		assertThat(execute(PAYMENT, this::pay)).isEqualTo(2);
	}

	@Test
	void aCallThatIsRunningElsewhereIsRefused() throws InterruptedException {
		execute(PAYMENT, () -> {
			Thread other = new Thread(() -> assertThatExceptionOfType(RequestInProgressException.class)
				.isThrownBy(() -> execute(PAYMENT.withMaxWait(Duration.ZERO), this::pay)));
			AtomicInteger failures = new AtomicInteger();
			other.setUncaughtExceptionHandler((thread, ex) -> failures.incrementAndGet());
			other.start();
			try {
				other.join();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			assertThat(failures).hasValue(0);
			return pay();
		});
		assertThat(this.payments).hasValue(1);
	}

	@Test
	void phasesDoNotRunInATransaction() {
		assertThatExceptionOfType(IllegalTransactionStateException.class)
			.isThrownBy(() -> new TransactionTemplate(this.test.transactions)
				.execute((status) -> this.calls.operations(this.test.engine, this.test.phases(), this.transactions)
					.execute(PAYMENT, Integer.class, (phases) -> pay())))
			.withMessageContaining("Call it outside a transaction");
	}

	@Test
	void phasesOfAServiceAreExecutedOnce() {
		var phased = this.calls.operations(this.test.engine, this.test.phases(), this.transactions);
		Supplier<Integer> call = () -> phased.execute(PAYMENT, Integer.class, (phases) -> {
			phases.atomic("begun", this::pay);
			return phases.finish(this::pay);
		});
		assertThat(call.get()).isEqualTo(2);
		assertThat(call.get()).isEqualTo(2);
		assertThat(this.payments).hasValue(2);
	}

	@Test
	void aFailureIsReportedAndEndsItsRequest() {
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> execute(PAYMENT, () -> {
			throw new IllegalArgumentException("declined");
		}));
		assertThat(this.test.notifications).singleElement().isInstanceOf(Released.class);
		assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isFalse();
	}

	@Test
	void aReplayIsAuthorizedOnceWithTheContentOfItsRequest() {
		List<ReplayAttempt> attempts = new ArrayList<>();
		this.test.authorizers.add(attempts::add);
		Object[] contents = { List.of("alice", 5), "5 EUR", null };
		for (int i = 0; i < contents.length; i++) {
			IdempotencyRequest request = IdempotencyRequest.of("pay", "key-" + i)
				.withAccount(Account.of("alice"))
				.withContent(contents[i]);
			this.operations.execute(request, Integer.class, this::pay);
			this.operations.execute(request, Integer.class, this::pay);
		}
		assertThat(attempts).extracting(ReplayAttempt::arguments)
			.containsExactly(List.of("alice", 5), List.of("5 EUR"), List.of());
		assertThat(attempts).allSatisfy((attempt) -> {
			assertThat(attempt.account()).isEqualTo(Account.of("alice"));
			assertThat(attempt.operation().name()).isEqualTo("pay");
		});
	}

	@Test
	void aCallThatIsRunningElsewhereIsWaitedForAsLongAsItsRequestSays() {
		CompletableFuture<Integer> other = new CompletableFuture<>();
		execute(PAYMENT, () -> {
			Thread thread = new Thread(
					() -> other.complete(execute(PAYMENT.withMaxWait(Duration.ofMinutes(1)), this::pay)));
			thread.start();
			await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
			return pay();
		});
		assertThat(other).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(1);
		assertThat(this.payments).hasValue(1);
	}

}
