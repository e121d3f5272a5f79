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
package dev.idempotency.storecontract;

import java.time.Duration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.EncodedResponse;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.Identity;
import dev.idempotency.store.RecordConflictException;
import dev.idempotency.store.StoredRecord;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of transactional execution: lock and record belong to the transaction.
 */
abstract class TransactionalContract extends StoreContract {

	@Test
	void anIdentityWithoutARecordIsTheCallers() {
		assertThat(acquire(identity())).isInstanceOf(ClaimResult.Acquired.class);
	}

	@Test
	void aCommittedRecordIsFoundAsItWasWritten() {
		Identity identity = identity();
		execute(finished(identity, "answer"));
		for (ClaimResult attempt : attempts(identity)) {
			StoredRecord found = found(attempt);
			assertThat(found.fingerprint()).isEqualTo(FINGERPRINT);
			assertThat(found.response()).isEqualTo(answer("answer"));
			assertThat(found.timeToLive()).isPositive().isLessThanOrEqualTo(HOUR);
		}
	}

	@Test
	@Tag("X20")
	void aRecordTellsWhichExecutionWroteItWhateverItsAnswerIs() {
		Identity identity = identity();
		FinishedRecord written = finished(identity, "same");
		FinishedRecord other = finished(identity, "same");
		execute(written);
		for (ClaimResult attempt : attempts(identity)) {
			assertThat(found(attempt).isWrittenAs(written)).isTrue();
			assertThat(found(attempt).isWrittenAs(other)).isFalse();
		}
		passTime(HOUR);
		execute(other);
		assertThat(recordOf(identity).isWrittenAs(other)).isTrue();
		assertThat(recordOf(identity).isWrittenAs(written)).isFalse();
	}

	@Test
	void anyContentIsKeptByteForByte() {
		byte[] content = new byte[300_000];
		for (int i = 0; i < content.length; i++) {
			content[i] = (byte) i;
		}
		assertKept(new EncodedResponse(599, content));
		assertKept(new EncodedResponse(0, new byte[0]));
		assertKept(new EncodedResponse(200, null));
	}

	private void assertKept(EncodedResponse answer) {
		Identity identity = identity();
		execute(new FinishedRecord(identity, "POST /test", FINGERPRINT, answer, HOUR));
		assertThat(recordOf(identity).response()).isEqualTo(answer);
	}

	@Test
	void oneIdentityIsNotAnother() {
		execute(finished(identity(), "answer"));
		assertThat(acquire(identity())).isInstanceOf(ClaimResult.Acquired.class);
	}

	@Test
	void whatIsNotCommittedIsSeenByNobodyAndKeepsAllOthersOut() {
		Identity identity = identity();
		inTransaction(() -> {
			store().acquire(identity);
			assertThat(Parallel.elsewhere(() -> acquire(identity))).isInstanceOf(ClaimResult.Busy.class);
			boolean written = store().finish(finished(identity, "answer"));
			assertThat(Parallel.elsewhere(() -> acquire(identity))).isInstanceOf(ClaimResult.Busy.class);
			assertThat(Parallel.elsewhere(() -> store().probe(identity))).isInstanceOf(ClaimResult.Busy.class);
			return written;
		});
		assertThat(Parallel.elsewhere(() -> acquire(identity))).isInstanceOf(StoredRecord.class);
	}

	@Test
	void aRollbackLeavesNothing() {
		Identity identity = identity();
		rolledBack(() -> {
			store().acquire(identity);
			return store().finish(finished(identity, "answer"));
		});
		assertThat(store().probe(identity)).isInstanceOf(ClaimResult.Acquired.class);
		assertThat(acquire(identity)).isInstanceOf(ClaimResult.Acquired.class);
		assertThat(operators().find(identity)).isEmpty();
		execute(finished(identity, "second"));
		assertThat(recordOf(identity).response()).isEqualTo(answer("second"));
	}

	@Test
	void aRecordThatWasWrittenWithoutTheLockWins() {
		Identity identity = identity();
		execute(finished(identity, "first"));
		assertThat(rolledBack(() -> store().finishAfterRollback(finished(identity, "second")))).isFalse();
		assertThat(recordOf(identity).response()).isEqualTo(answer("first"));
	}

	@Test
	void aRecordThatComesWithTheCommitIsThereAfterItAndNotAfterARollback() {
		Identity identity = identity();
		assertThat(rolledBack(() -> executeAtCommit(finished(identity, "first")))).isTrue();
		assertThat(acquire(identity)).isInstanceOf(ClaimResult.Acquired.class);
		assertThat(inTransaction(() -> executeAtCommit(finished(identity, "second")))).isTrue();
		assertThat(recordOf(identity).response()).isEqualTo(answer("second"));
		passTime(HOUR);
		assertThat(inTransaction(() -> executeAtCommit(finished(identity, "third")))).isTrue();
		assertThat(recordOf(identity).response()).isEqualTo(answer("third"));
	}

	private boolean executeAtCommit(FinishedRecord finished) {
		return store().acquire(finished.identity()) instanceof ClaimResult.Acquired
				&& store().finishWithCommit(finished);
	}

	@Test
	void aRecordThatComesWithTheCommitDoesNotReplaceALiveOne() {
		Identity identity = identity();
		execute(finished(identity, "first"));
		isRefusedByTheCommit(RecordConflictException.class, () -> {
			store().acquire(identity);
			return store().finishWithCommit(finished(identity, "second"));
		});
		assertThat(recordOf(identity).response()).isEqualTo(answer("first"));
	}

	@Test
	void aProbeTellsWhatBecameOfATransaction() {
		Identity identity = identity();
		rolledBack(() -> {
			store().acquire(identity);
			assertThat(Parallel.elsewhere(() -> store().probe(identity))).as("open")
				.isInstanceOf(ClaimResult.Busy.class);
			return true;
		});
		assertThat(store().probe(identity)).as("rolled back").isInstanceOf(ClaimResult.Acquired.class);
		execute(finished(identity, "answer"));
		assertThat(store().probe(identity)).as("committed").isInstanceOf(StoredRecord.class);
	}

	@Test
	void aProbeHoldsNothingAndHasNoPartInTheCallersTransaction() {
		Identity identity = identity();
		inTransaction(() -> {
			assertThat(store().probe(identity)).isInstanceOf(ClaimResult.Acquired.class);
			assertThat(Parallel.elsewhere(() -> acquire(identity))).isInstanceOf(ClaimResult.Acquired.class);
			return true;
		});
	}

	@Test
	void aRecordEndsWithItsTimeToLive() {
		Identity identity = identity();
		execute(finished(identity, "answer"));
		passTime(Duration.ofMinutes(59));
		assertThat(recordOf(identity).timeToLive()).isLessThanOrEqualTo(Duration.ofMinutes(1));
		passTime(Duration.ofMinutes(1));
		assertThat(acquire(identity)).isInstanceOf(ClaimResult.Acquired.class);
		assertThat(store().probe(identity)).isInstanceOf(ClaimResult.Acquired.class);
	}

	@Test
	void aRecordTakesThePlaceOfAnExpiredOne() {
		Identity identity = identity();
		execute(finished(identity, "first"));
		passTime(HOUR);
		inTransaction(() -> {
			assertThat(store().acquire(identity)).isInstanceOf(ClaimResult.Acquired.class);
			assertThat(store().finish(finished(identity, "second"))).isTrue();
			return true;
		});
		assertThat(recordOf(identity).response()).isEqualTo(answer("second"));
	}

	@Test
	void anExpiredRecordStaysExpiredWhereItsReplacementIsRolledBack() {
		Identity identity = identity();
		execute(finished(identity, "first"));
		passTime(HOUR);
		rolledBack(() -> {
			store().acquire(identity);
			return store().finish(finished(identity, "second"));
		});
		assertThat(acquire(identity)).isInstanceOf(ClaimResult.Acquired.class);
	}

}
