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

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import javax.crypto.spec.SecretKeySpec;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.idempotency.IdempotencyNotification;
import dev.idempotency.IdempotencyNotification.Refusal;
import dev.idempotency.IdempotencyNotification.Refused;
import dev.idempotency.IdempotencyNotification.ReplaySource;
import dev.idempotency.IdempotencyNotification.Replayed;
import dev.idempotency.IdempotencyNotification.StoreFailed;
import dev.idempotency.IdempotencyNotification.StorePhase;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Replay;
import dev.idempotency.engine.ClaimRequest.EffectCommits;
import dev.idempotency.engine.codec.ContentCipher;
import dev.idempotency.engine.codec.EnvelopeCodec;
import dev.idempotency.engine.codec.StoredResponse;
import dev.idempotency.exception.KeyReusedException;
import dev.idempotency.exception.NotReplayableException;
import dev.idempotency.exception.RequestInProgressException;
import dev.idempotency.exception.RequestStuckException;
import dev.idempotency.exception.StoreUnavailableException;
import dev.idempotency.exception.TooManyOpenRequestsException;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.EncodedResponse;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.StoredRecord;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The reply to a call that may not run, and the record of one that has run.
 */
class DuplicateHandlerTests {

	private static final byte[] FINGERPRINT = new byte[32];

	private static final byte[] OTHER = "another request, of 32 bytes too".getBytes(StandardCharsets.US_ASCII);

	private static final StoredResponse ANSWER = TestEngine.answer("paid");

	private final TestEngine test = new TestEngine();

	private final Cache cache = new Cache();

	private final DuplicateHandler duplicates = this.test.duplicates(this.cache);

	private final ClaimRequest call = TestEngine.call(1, Mode.TRANSACTIONAL, EffectCommits.ONCE);

	private final Lease lease = new Lease(this.call.identity(), 1);

	@AfterEach
	void close() {
		this.test.close();
	}

	private @Nullable Claim decide(ClaimResult attempt) {
		return this.duplicates.decide(this.call, attempt);
	}

	private static Consumer<IdempotencyNotification> refusal(Refusal expected) {
		return (notification) -> assertThat(notification).isInstanceOfSatisfying(Refused.class, (refused) -> {
			assertThat(refused.operation()).isEqualTo("pay");
			assertThat(refused.refusal()).isEqualTo(expected);
			assertThat(refused.duration()).isGreaterThanOrEqualTo(Duration.ZERO);
		});
	}

	private StoredRecord stored(byte[] fingerprint) {
		FinishedRecord finished = this.duplicates.toRecord(this.call, ANSWER, 1);
		return new StoredRecord(fingerprint, finished.response(), finished.ttl());
	}

	@Test
	void aRecordIsReplayed() {
		assertThat(decide(stored(FINGERPRINT))).isInstanceOfSatisfying(Claim.Replayed.class,
				(replayed) -> assertThat(replayed.response().content()).isEqualTo(ANSWER.content()));
		assertThat(this.test.notifications).singleElement()
			.isInstanceOfSatisfying(Replayed.class,
					(replayed) -> assertThat(replayed.source()).isEqualTo(ReplaySource.DATABASE));
	}

	@Test
	void aRecordOfAnotherRequestIsRefused() {
		assertThatExceptionOfType(KeyReusedException.class).isThrownBy(() -> decide(stored(OTHER)));
		assertThat(this.test.notifications).singleElement().satisfies(refusal(Refusal.MISMATCHED));
	}

	@Test
	void aRequestThatIsRunningHasNoReplyYet() {
		assertThat(decide(new ClaimResult.Busy())).isNull();
		assertThat(decide(new ClaimResult.Held(FINGERPRINT, this.lease))).isNull();
		assertThat(decide(new ClaimResult.Abandoned(FINGERPRINT, this.lease))).isNull();
		assertThat(this.test.notifications).isEmpty();
	}

	@Test
	void aClaimOfAnotherRequestIsRefused() {
		assertThatExceptionOfType(KeyReusedException.class)
			.isThrownBy(() -> decide(new ClaimResult.Held(OTHER, this.lease)));
		assertThatExceptionOfType(KeyReusedException.class)
			.isThrownBy(() -> decide(new ClaimResult.Stuck(OTHER, this.lease)));
	}

	@Test
	void aRequestThatNeedsManualResolutionIsRefused() {
		assertThatExceptionOfType(RequestStuckException.class)
			.isThrownBy(() -> decide(new ClaimResult.Stuck(FINGERPRINT, this.lease)));
		assertThat(this.test.notifications).singleElement().satisfies(refusal(Refusal.STUCK));
	}

	@Test
	void aRequestOfAnAccountWithTooManyIsRefused() {
		assertThatExceptionOfType(TooManyOpenRequestsException.class)
			.isThrownBy(() -> decide(new ClaimResult.Limited()));
		assertThat(this.test.notifications).singleElement().satisfies(refusal(Refusal.LIMITED));
	}

	@Test
	void theRefusalOfARunningRequestHasTheTimeOfItsWait() {
		Duration waited = Duration.ofSeconds(5);
		ClaimRequest early = new ClaimRequest(this.call.operation(), this.call.identity(), this.call.fingerprint(),
				EffectCommits.ONCE, null, null, System.nanoTime() - waited.toNanos());
		assertThat(this.duplicates.inProgress(early)).isNotNull();
		assertThat(this.test.notifications).singleElement()
			.satisfies(refusal(Refusal.IN_PROGRESS))
			.satisfies((refused) -> assertThat(((Refused) refused).duration()).isGreaterThanOrEqualTo(waited));
	}

	@Test
	void aCallThatMayRunIsNotDecidedHere() {
		assertThatIllegalArgumentException().isThrownBy(() -> decide(new ClaimResult.Acquired()));
	}

	@Test
	void theBodyOfAnAnswerThatIsNotReplayedIsNotStored() {
		ClaimRequest once = TestEngine.call(1, Mode.TRANSACTIONAL, EffectCommits.ONCE, Replay.NONE, FINGERPRINT);
		FinishedRecord finished = this.duplicates.toRecord(once, ANSWER, 1);
		assertThat(finished.response().content()).isNull();
		assertThat(finished.ttl()).isEqualTo(Duration.ofHours(1));
	}

	@Test
	void aCachedAnswerIsReplayedWithoutTheStore() {
		this.cache.hit = stored(FINGERPRINT);
		this.test.failNext("probe", TestEngine.lost());
		assertThat(this.duplicates.replayCached(this.call)).isNotNull();
		assertThat(this.test.notifications).singleElement()
			.isInstanceOfSatisfying(Replayed.class,
					(replayed) -> assertThat(replayed.source()).isEqualTo(ReplaySource.LOCAL));
	}

	@Test
	void aCachedAnswerOfAnotherRequestIsRefused() {
		this.cache.hit = stored(OTHER);
		assertThatExceptionOfType(KeyReusedException.class).isThrownBy(() -> this.duplicates.replayCached(this.call));
	}

	@Test
	void aCachedAnswerThatCannotBeReadIsLeftToTheStore() {
		this.cache.hit = new StoredRecord(FINGERPRINT, new EncodedResponse(200, new byte[] { 99 }),
				Duration.ofHours(1));
		assertThat(this.duplicates.replayCached(this.call)).isNull();
	}

	@Test
	@Tag("Y10")
	void aCachedAnswerIsAuthenticatedBeforeItsFingerprintIsCompared() {
		DuplicateHandler encrypting = this.test.duplicates(this.cache,
				EnvelopeCodec.encrypting(new ContentCipher(Map.of("k", new SecretKeySpec(new byte[32], "AES")), "k")));
		FinishedRecord finished = encrypting.toRecord(this.call, ANSWER, 1);
		this.cache.hit = new StoredRecord(OTHER, finished.response(), finished.ttl());
		assertThat(encrypting.replayCached(this.call)).isNull();
	}

	@Test
	void aCachedAnswerWithoutABodyIsNotReplayable() {
		this.cache.hit = new StoredRecord(FINGERPRINT, new EncodedResponse(200, null), Duration.ofHours(1));
		assertThatExceptionOfType(NotReplayableException.class)
			.isThrownBy(() -> this.duplicates.replayCached(this.call));
		assertThat(this.test.notifications).singleElement().satisfies(refusal(Refusal.NOT_REPLAYABLE));
	}

	@Test
	void anAnswerIsCachedByTheCommitOfItsTransactionOnly() {
		FinishedRecord finished = this.duplicates.toRecord(this.call, ANSWER, 1);
		this.test.inTransaction(() -> {
			this.duplicates.executed(this.call, finished);
			assertThat(this.cache.put).isEmpty();
			return true;
		});
		assertThat(this.cache.put).containsExactly(this.call.identity());
	}

	/**
	 * The answer was stored within a nested transaction of the caller.
	 */
	@Test
	void anAnswerThatWasRolledBackToASavepointIsNotCached() {
		FinishedRecord finished = this.duplicates.toRecord(this.call, ANSWER, 1);
		this.test.inTransaction(() -> {
			this.duplicates.executed(this.call, finished);
			TransactionSynchronizationManager.getSynchronizations()
				.forEach((synchronization) -> synchronization.savepointRollback("before the call"));
			return true;
		});
		assertThat(this.cache.put).isEmpty();
	}

	@Test
	void theAnswerOfTheOtherDeliveryIsRequired() {
		assertThatExceptionOfType(RequestInProgressException.class)
			.isThrownBy(() -> this.duplicates.requireOtherResponse(this.call));
		this.test.execute(this.call).finish(ANSWER);
		assertThat(this.duplicates.requireOtherResponse(this.call).content()).isEqualTo(ANSWER.content());
	}

	@Test
	void aStoreThatCannotBeAskedIsPublished() {
		this.test.failNext("probe", TestEngine.lost());
		assertThatExceptionOfType(StoreUnavailableException.class)
			.isThrownBy(() -> this.duplicates.probe(this.call, StorePhase.RESOLVE));
		assertThat(this.test.notifications).containsExactly(new StoreFailed("pay", StorePhase.RESOLVE));
	}

	private static final class Cache implements ResponseCache {

		private final List<Identity> put = new ArrayList<>();

		private @Nullable StoredRecord hit;

		@Override
		public @Nullable StoredRecord find(Identity identity) {
			return this.hit;
		}

		@Override
		public void put(Identity identity, StoredRecord stored, long deadline) {
			this.put.add(identity);
		}

		@Override
		public void evict(Identity identity) {
			this.put.remove(identity);
		}

		@Override
		public void clear() {
			this.put.clear();
		}

	}

}
