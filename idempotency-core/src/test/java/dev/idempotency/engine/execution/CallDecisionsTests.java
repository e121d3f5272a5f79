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
package dev.idempotency.engine.execution;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import dev.idempotency.IdempotencyNotification;
import dev.idempotency.IdempotencyNotification.Refusal;
import dev.idempotency.IdempotencyNotification.Refused;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Replay;
import dev.idempotency.Idempotent.Scope;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.engine.execution.Call.EffectCommits;
import dev.idempotency.engine.codec.EnvelopeCodec;
import dev.idempotency.engine.identity.Fingerprint;
import dev.idempotency.engine.observation.NotificationPublisher;
import dev.idempotency.engine.observation.Stopwatch;
import dev.idempotency.engine.operation.Retention;
import dev.idempotency.exception.IdempotencyException;
import dev.idempotency.exception.KeyReusedException;
import dev.idempotency.exception.NotReplayableException;
import dev.idempotency.exception.RequestInProgressException;
import dev.idempotency.exception.RequestStuckException;
import dev.idempotency.exception.TooManyOpenRequestsException;
import dev.idempotency.store.Attempt;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.StoredAnswer;
import dev.idempotency.store.StoredRecord;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Tag("O1")
class CallDecisionsTests {

	private static final Duration BEFORE_THE_REFUSAL = Duration.ofSeconds(5);

	private static final Identity IDENTITY = new Identity(new byte[32], new byte[16]);

	private static final byte[] FINGERPRINT = new byte[33];

	private static final Call CALL = new Call(new IdempotentOperation("POST /payments", null, Scope.ACCOUNT, "",
			Duration.ofHours(1), true, Mode.LEASED, Replay.FULL), IDENTITY, Fingerprint.of(FINGERPRINT),
			EffectCommits.FREELY, null, null);

	private final List<IdempotencyNotification> notifications = new ArrayList<>();

	private final Stopwatch stopwatch = new Stopwatch(System.nanoTime() - BEFORE_THE_REFUSAL.toNanos());

	private CallDecisions decisions(AnswerCache cache) {
		return new CallDecisions(new InMemoryIdempotencyStore("test", InstantSource.system()),
				EnvelopeCodec.plain(null), cache, new Retention(null, null),
				new NotificationPublisher(List.of(this.notifications::add)), Duration.ofSeconds(1));
	}

	private static StoredRecord stored(byte @Nullable [] content) {
		return new StoredRecord(FINGERPRINT, new StoredAnswer(201, content), Duration.ofHours(1));
	}

	private void assertRefused(ThrowingCallable call, Class<? extends IdempotencyException> exception,
			Refusal refusal) {
		assertThatExceptionOfType(exception).isThrownBy(call);
		assertThat(this.notifications).singleElement().isInstanceOfSatisfying(Refused.class, (refused) -> {
			assertThat(refused.operation()).isEqualTo("POST /payments");
			assertThat(refused.refusal()).isEqualTo(refusal);
			assertThat(refused.duration()).isGreaterThanOrEqualTo(BEFORE_THE_REFUSAL);
		});
	}

	private void decide(Attempt attempt) {
		decisions(AnswerCache.none()).decide(CALL, attempt, this.stopwatch);
	}

	@Test
	void aKeyOfAnotherRequestIsRefusedAsMismatched() {
		byte[] other = FINGERPRINT.clone();
		other[5] = 1;
		Attempt.Held held = new Attempt.Held(other, new Lease(IDENTITY, 1));
		assertRefused(() -> decide(held), KeyReusedException.class, Refusal.MISMATCHED);
	}

	@Test
	void aRequestThatNeedsManualResolutionIsRefusedAsStuck() {
		Attempt.Stuck stuck = new Attempt.Stuck(FINGERPRINT, new Lease(IDENTITY, 1));
		assertRefused(() -> decide(stuck), RequestStuckException.class, Refusal.STUCK);
	}

	@Test
	void anAccountWithTooManyOpenRequestsIsRefusedAsLimited() {
		assertRefused(() -> decide(new Attempt.Limited()), TooManyOpenRequestsException.class, Refusal.LIMITED);
	}

	@Test
	void aRunningRequestIsRefusedAsInProgress() {
		assertRefused(() -> {
			throw decisions(AnswerCache.none()).inProgress(CALL, this.stopwatch);
		}, RequestInProgressException.class, Refusal.IN_PROGRESS);
	}

	@Test
	void anAnswerThatIsNotKeptIsRefusedAsNotReplayable() {
		assertRefused(() -> decide(new Attempt.Found(stored(null))), NotReplayableException.class,
				Refusal.NOT_REPLAYABLE);
	}

	@Test
	void anAnswerThatIsNotKeptInTheLocalCacheIsRefusedAsNotReplayable() {
		AnswerCache cache = new AnswerCache() {

			@Override
			public StoredRecord find(Identity identity) {
				return stored(null);
			}

			@Override
			public void put(Identity identity, StoredRecord stored, long deadline) {
			}

			@Override
			public void evict(Identity identity) {
			}

			@Override
			public void clear() {
			}

		};
		assertRefused(() -> decisions(cache).replayCached(CALL, this.stopwatch), NotReplayableException.class,
				Refusal.NOT_REPLAYABLE);
	}

}
