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
package dev.idempotency.conformance;

import java.time.Duration;
import java.util.List;
import java.util.Random;

import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.store.Attempt;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Interruption;
import dev.idempotency.store.Lease;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.Recovery;
import dev.idempotency.store.RecoveryRequest;
import dev.idempotency.store.RecoveryRequest.Backoff;
import dev.idempotency.store.UnfinishedRecord;
import dev.idempotency.store.UnfinishedStore;
import dev.idempotency.store.UnfinishedStore.Filter;
import dev.idempotency.store.jpa.JpaUnfinishedStore;
import dev.idempotency.testsupport.TestDatabase;
import jakarta.persistence.EntityManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which unfinished requests are due, and which are stuck. Nothing waits here: the times
 * in the rows are moved.
 */
class UnfinishedStoreTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private static final Backoff BACKOFF = new Backoff(Duration.ofSeconds(10), 2, Duration.ofMinutes(30));

	private static final byte[] COMMAND = { 7 };

	private static final Random RANDOM = new Random(11);

	private static RunningApplication application;

	private static IdempotencyStore store;

	private static UnfinishedStore unfinished;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(TestDatabase.create(), List.of(), "idempotency.completer.enabled=false",
				"idempotency.reaper.enabled=false");
		store = application.context().getBean(IdempotencyStore.class);
		unfinished = application.context().getBean(UnfinishedStore.class);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@BeforeEach
	void empty() {
		application.jdbc().update("delete from idempotency_lease");
	}

	@Test
	void whatIsUnderALeaseIsNotDue() {
		lease(COMMAND);
		assertThat(claim(due(10, Duration.ZERO, 12))).isEmpty();
	}

	@Test
	void whatHasExpiredIsLeftToItsSenderForATime() {
		lease(COMMAND);
		expire("59 minutes");
		assertThat(claim(due(10, HOUR, 12))).isEmpty();
		expire("61 minutes");
		assertThat(claim(due(10, HOUR, 12))).hasSize(1);
	}

	@Test
	void aClaimHasANewFenceAndOneAttemptMore() {
		Lease before = lease(COMMAND);
		store.advance(before, "step", new byte[] { 5 }, HOUR);
		expire("1 second");
		Recovery recovery = claim(due(10, Duration.ZERO, 12)).get(0);
		assertThat(recovery.lease().identity()).isEqualTo(before.identity());
		assertThat(recovery.lease().fence()).isGreaterThan(before.fence());
		assertThat(recovery.command()).isEqualTo(COMMAND);
		assertThat(recovery.fingerprint()).containsExactly(1);
		assertThat(recovery.progress().attempts()).isEqualTo(2);
		assertThat(recovery.progress().recoveryPoint()).isEqualTo("step");
		assertThat(recovery.progress().steps()).containsExactly(5);
		assertThat(store.isHeld(before)).isFalse();
		assertThat(store.isHeld(recovery.lease())).isTrue();
	}

	@Test
	void whatCannotBeRepeatedOrHasEffectsIsNotClaimed() {
		lease(null);
		Lease effects = lease(COMMAND);
		application.jdbc().update("update idempotency_lease set effects = true where fence = ?", effects.fence());
		expire("1 second");
		assertThat(claim(due(10, Duration.ZERO, 12))).isEmpty();
	}

	@Test
	@Tag("P5")
	void attemptsAreCountedByTheClaimSoThatOneThatTakesItsNodeDownIsCounted() {
		lease(COMMAND);
		for (int attempt = 1; attempt < 4; attempt++) {
			expire("1 second");
			application.jdbc().update("update idempotency_lease set retry_at = null");
			assertThat(claim(due(10, Duration.ZERO, 4))).as("after attempt %d", attempt).hasSize(1);
		}
		expire("1 second");
		application.jdbc().update("update idempotency_lease set retry_at = null");
		assertThat(claim(due(10, Duration.ZERO, 4))).isEmpty();
		assertThat(unfinished.markStuck(4, HOUR)).containsExactly("test");
	}

	@Test
	void thePauseGrowsWithEachAttemptUpToItsMaximumAndIsSetByTheClaim() {
		lease(COMMAND);
		for (long seconds : List.of(20L, 40L, 80L, 160L, 320L, 640L, 1280L, 1800L, 1800L)) {
			expire("1 second");
			application.jdbc().update("update idempotency_lease set retry_at = null");
			assertThat(claim(due(10, Duration.ZERO, 1000))).hasSize(1);
			// The lease of a claim is an hour, and both times are of one statement.
			assertThat(application.jdbc()
				.queryForObject("select round(extract(epoch from retry_at - lease_until + interval '1 hour')) "
						+ "from idempotency_lease", Long.class))
				.isBetween(seconds * 8 / 10, seconds);
		}
	}

	@Test
	void theLongestPauseOfTheGreatestFactorDoesNotOverflow() {
		lease(COMMAND);
		expire("1 second");
		application.jdbc().update("update idempotency_lease set attempts = 999");
		assertThat(claim(new RecoveryRequest(1, HOUR, Duration.ZERO, 1000,
				new Backoff(Duration.ofDays(1), 100, Duration.ofDays(1)))))
			.hasSize(1);
	}

	@Test
	void whatFailedIsNotDueBeforeItsPauseIsOver() {
		lease(COMMAND);
		expire("1 second");
		Recovery recovery = claim(due(10, Duration.ZERO, 12)).get(0);
		store.interrupt(recovery.lease(), new Interruption("Failure", true));
		assertThat(claim(due(10, Duration.ZERO, 12))).isEmpty();
		application.jdbc().update("update idempotency_lease set retry_at = clock_timestamp()");
		assertThat(claim(due(10, Duration.ZERO, 12))).hasSize(1);
	}

	@Test
	void aSenderWhoTriesGetsItsTimeAgainAndDoesNotShortenAPause() {
		Lease lease = lease(COMMAND);
		application.jdbc().update("update idempotency_lease set retry_at = clock_timestamp() - interval '1 minute'");
		store.interrupt(lease, new Interruption(null, false));
		assertThat(retryAt()).isNull();
		assertThat(claim(due(10, HOUR, 12))).isEmpty();
		application.jdbc().update("update idempotency_lease set retry_at = clock_timestamp() + interval '1 hour'");
		store.interrupt(lease, new Interruption(null, false));
		assertThat(retryAt()).isNotNull();
		assertThat(claim(due(10, Duration.ZERO, 12))).isEmpty();
	}

	@Test
	void aSenderIsNotKeptBackByThePauseOfTheCompleter() {
		Lease lease = lease(COMMAND);
		application.jdbc().update("update idempotency_lease set retry_at = clock_timestamp() + interval '1 hour'");
		expire("1 second");
		assertThat(store.lease(request(lease.identity(), COMMAND)).kind()).isEqualTo(Attempt.Kind.ACQUIRED);
	}

	@Test
	void claimsOfNodesAtTheSameTimeAreDifferentOnes() {
		for (int i = 0; i < 40; i++) {
			lease(COMMAND);
		}
		expire("1 second");
		List<List<Recovery>> claims = Parallel.run(8, () -> claim(due(10, Duration.ZERO, 12)));
		List<Identity> claimed = claims.stream()
			.flatMap(List::stream)
			.map((recovery) -> recovery.lease().identity())
			.toList();
		assertThat(claimed).doesNotHaveDuplicates();
		assertThat(claims).allSatisfy((one) -> assertThat(one).hasSizeLessThanOrEqualTo(10));
		assertThat(claimed.size() + claim(due(40, Duration.ZERO, 12)).size()).isEqualTo(40);
	}

	@Test
	@Tag("S8")
	void theRequestsOfAnotherApplicationAreLeftAlone() {
		UnfinishedStore other = new JpaUnfinishedStore(application.context().getBean(EntityManagerFactory.class),
				"another application");
		Identity identity = lease(COMMAND).identity();
		expire("2 days");
		assertThat(other.claimDue(due(10, Duration.ZERO, 12))).isEmpty();
		assertThat(other.markStuck(1, HOUR)).isEmpty();
		assertThat(other.list(Filter.OPEN, 10)).isEmpty();
		assertThat(other.find(identity)).isEmpty();
		assertThat(other.retry(identity)).isFalse();
		assertThat(other.claim(identity, HOUR)).isEmpty();
	}

	@Test
	void stuckIsWhatHasEffectsOrWasTriedTooOftenOrWasLeftTooLong() {
		lease(null);
		expire("59 minutes");
		assertThat(unfinished.markStuck(2, HOUR)).isEmpty();
		expire("61 minutes");
		assertThat(unfinished.markStuck(2, HOUR)).hasSize(1);
		assertThat(unfinished.markStuck(2, HOUR)).as("said once").isEmpty();
		empty();
		lease(COMMAND);
		application.jdbc().update("update idempotency_lease set effects = true");
		assertThat(unfinished.markStuck(2, HOUR)).as("under a lease").isEmpty();
		expire("1 second");
		assertThat(unfinished.markStuck(2, HOUR)).hasSize(1);
		UnfinishedRecord stuck = unfinished.list(Filter.STUCK, 10).get(0);
		assertThat(stuck.command()).as("too large for a list").isNull();
		assertThat(unfinished.find(stuck.lease().identity()).orElseThrow().command()).isEqualTo(COMMAND);
		assertThat(claim(due(10, Duration.ZERO, 12))).isEmpty();
		assertThat(store.lease(request(stuck.lease().identity(), COMMAND)).kind()).isEqualTo(Attempt.Kind.ABANDONED);
		assertThat(application.jdbc().queryForObject("select count(*) from idempotency_lease", Long.class))
			.as("nothing unfinished is deleted")
			.isEqualTo(1);
	}

	@Test
	void aRetryBeginsAnewAndIsDueAtOnce() {
		Lease lease = lease(COMMAND);
		application.jdbc().update("update idempotency_lease set effects = true, attempts = 12");
		assertThat(unfinished.retry(lease.identity())).as("under a lease").isFalse();
		expire("1 second");
		unfinished.markStuck(12, HOUR);
		assertThat(claim(due(10, HOUR, 12))).isEmpty();
		assertThat(unfinished.retry(lease.identity())).isTrue();
		assertThat(unfinished.list(Filter.STUCK, 10)).isEmpty();
		assertThat(claim(due(10, HOUR, 12))).hasSize(1);
	}

	@Test
	void anOperatorClaimsWhatNobodyHasWhateverItsState() {
		Lease lease = lease(null);
		assertThat(unfinished.claim(lease.identity(), HOUR)).as("under a lease").isEmpty();
		expire("2 hours");
		unfinished.markStuck(12, HOUR);
		UnfinishedRecord claimed = unfinished.claim(lease.identity(), HOUR).orElseThrow();
		assertThat(claimed.lease().fence()).isGreaterThan(lease.fence());
		assertThat(claimed.running()).isTrue();
		assertThat(claimed.stuckAt()).isNotNull();
		assertThat(unfinished.claim(lease.identity(), HOUR)).isEmpty();
	}

	private static RecoveryRequest due(int limit, Duration after, int maxAttempts) {
		return new RecoveryRequest(limit, HOUR, after, maxAttempts, BACKOFF);
	}

	private static List<Recovery> claim(RecoveryRequest request) {
		return unfinished.claimDue(request);
	}

	private static Lease lease(byte[] command) {
		byte[] digest = new byte[32];
		RANDOM.nextBytes(digest);
		return store.lease(request(new Identity(digest, new byte[] { 2 }), command)).lease();
	}

	private static LeaseRequest request(Identity identity, byte[] command) {
		return new LeaseRequest(identity, "test", new byte[] { 1 }, command, HOUR, true, 12);
	}

	private static void expire(String ago) {
		application.jdbc()
			.update("update idempotency_lease set lease_until = clock_timestamp() - cast(? as interval)", ago);
	}

	private static Object retryAt() {
		return application.jdbc().queryForMap("select retry_at from idempotency_lease").get("retry_at");
	}

}
