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
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Replay;
import dev.idempotency.engine.ClaimRequest.EffectCommits;
import dev.idempotency.engine.RequestBatch.RefusedRequestException;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.exception.KeyReusedException;
import dev.idempotency.exception.RequestInProgressException;
import dev.idempotency.exception.StoreUnavailableException;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.StoredRecord;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Several calls in one transaction.
 */
class RequestBatchTests {

	private final TestEngine test = new TestEngine();

	private final RequestTransactions transactions = this.test.watched;

	@AfterEach
	void nothingIsLeft() {
		this.test.close();
		assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isFalse();
	}

	private static ClaimRequest call(int key) {
		return TestEngine.call(key, Mode.TRANSACTIONAL, EffectCommits.ONCE);
	}

	private RequestBatch claim(ClaimRequest... calls) {
		return this.test.engine.claimAll(List.of(calls), Duration.ZERO);
	}

	private Object run(RequestBatch batch) throws Throwable {
		return batch.run(this.transactions.detectLeaks("batch"), () -> "done", TestEngine.answer("done"));
	}

	private boolean isStored(int key) {
		return this.test.memory.probe(TestEngine.identity(key)) instanceof StoredRecord;
	}

	@Test
	void allCallsCommitTogether() throws Throwable {
		RequestBatch batch = claim(call(2), call(1));
		assertThat(batch.isExecution(0)).isTrue();
		assertThat(isStored(1)).isFalse();
		assertThat(run(batch)).isEqualTo("done");
		assertThat(isStored(1) && isStored(2)).isTrue();
	}

	@Test
	void aCallThatWasExecutedBeforeIsToldFromTheOthers() throws Throwable {
		run(claim(call(1)));
		RequestBatch batch = claim(call(1), call(2));
		assertThat(batch.isExecution(0)).isFalse();
		assertThat(batch.isExecution(1)).isTrue();
		run(batch);
		assertThat(isStored(2)).isTrue();
	}

	@Test
	void aFailureRollsAllBack() {
		RequestBatch batch = claim(call(1), call(2));
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> batch.run(this.transactions.detectLeaks("batch"), () -> {
				throw new IllegalArgumentException("no");
			}, TestEngine.answer("done")));
		assertThat(isStored(1) || isStored(2)).isFalse();
		batch.release();
		assertThat(this.test.claim(call(1))).isInstanceOfSatisfying(Execution.class, Execution::release);
	}

	@Test
	void aTransactionThatIsLeftOpenRollsAllBack() {
		RequestBatch batch = claim(call(1));
		assertThatExceptionOfType(InvalidIdempotentException.class)
			.isThrownBy(() -> batch.run(this.transactions.detectLeaks("batch"),
					() -> this.test.transactions.getTransaction(
							new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW)),
					TestEngine.answer("done")));
		assertThat(isStored(1)).isFalse();
	}

	@Test
	void aCommitThatFailsKeepsNothing() {
		RequestBatch batch = claim(call(1), call(2));
		this.test.transactions.failNextCommit(TestEngine.conflict());
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> run(batch));
		assertThat(isStored(1) || isStored(2)).isFalse();
	}

	@Test
	void aCallThatIsRunningElsewhereRefusesTheBatchAndHoldsNothing() {
		Execution elsewhere = this.test.execute(TestEngine.call(2, Mode.LEASED, EffectCommits.FREELY));
		assertThatExceptionOfType(RefusedRequestException.class).isThrownBy(() -> claim(call(1), call(2)))
			.satisfies((refused) -> assertThat(refused.index()).isEqualTo(1))
			.satisfies((refused) -> assertThat(refused.reason()).isInstanceOf(RequestInProgressException.class));
		assertThat(this.test.memory.probe(TestEngine.identity(1))).isInstanceOf(ClaimResult.Acquired.class);
		elsewhere.release();
	}

	@Test
	void aKeyOfAnotherRequestRefusesTheBatch() throws Throwable {
		run(claim(call(1)));
		byte[] other = new byte[32];
		other[0] = 1;
		assertThatExceptionOfType(RefusedRequestException.class).isThrownBy(
				() -> claim(call(2), TestEngine.call(1, Mode.TRANSACTIONAL, EffectCommits.ONCE, Replay.FULL, other)))
			.satisfies((refused) -> assertThat(refused.index()).isEqualTo(1))
			.satisfies((refused) -> assertThat(refused.reason()).isInstanceOf(KeyReusedException.class));
		assertThat(this.test.memory.probe(TestEngine.identity(2))).isInstanceOf(ClaimResult.Acquired.class);
	}

	@Test
	void aStoreThatFailsIsReportedAndHoldsNothing() {
		this.test.failNext("acquire", TestEngine.lost());
		assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> claim(call(1)));
		assertThat(this.test.memory.probe(TestEngine.identity(1))).isInstanceOf(ClaimResult.Acquired.class);
	}

	@Test
	void aTransactionAroundTheBatchIsRefused() {
		assertThatExceptionOfType(IllegalTransactionStateException.class)
			.isThrownBy(() -> this.test.inTransaction(() -> claim(call(1))))
			.withMessageContaining("in a transaction that began before");
	}

	@Test
	void moreKeysThanATransactionMayHaveAreRefused() {
		assertThat(this.test.engine.maxBatch()).isEqualTo(1000);
		ClaimRequest[] tooMany = IntStream.rangeClosed(1, 1001)
			.mapToObj(RequestBatchTests::call)
			.toArray(ClaimRequest[]::new);
		assertThatExceptionOfType(IllegalTransactionStateException.class).isThrownBy(() -> claim(tooMany))
			.withMessageContaining("1001 idempotency keys in one transaction, and the limit is 1000");
		assertThat(this.test.memory.probe(TestEngine.identity(1))).isInstanceOf(ClaimResult.Acquired.class);
	}

	@Test
	void keysOfOneTransactionAreCountedTogether() {
		assertThatExceptionOfType(IllegalTransactionStateException.class)
			.isThrownBy(() -> this.test.inTransaction(() -> {
				for (int key = 1; key <= 1001; key++) {
					this.test.execute(call(key)).finish(TestEngine.answer("done"));
				}
				return null;
			}))
			.withMessageContaining("1001 idempotency keys");
		Boolean all = this.test.inTransaction(() -> {
			for (int key = 1; key <= 1000; key++) {
				this.test.execute(call(key)).finish(TestEngine.answer("done"));
			}
			return true;
		});
		assertThat(all).isTrue();
		assertThat(isStored(1000)).isTrue();
	}

}
