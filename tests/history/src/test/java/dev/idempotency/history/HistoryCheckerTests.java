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
package dev.idempotency.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

import dev.idempotency.history.History.Answered;
import dev.idempotency.history.History.Sent;
import dev.idempotency.history.History.Unanswered;
import dev.idempotency.history.HistoryChecker.Held;
import dev.idempotency.history.HistoryChecker.LeaseChange;
import dev.idempotency.history.HistoryChecker.LeaseState;
import dev.idempotency.history.HistoryChecker.Promise;
import dev.idempotency.history.HistoryChecker.Rest;
import dev.idempotency.history.HistoryChecker.Violation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * The checker finds what it is there to find, in histories that are written by hand.
 */
class HistoryCheckerTests {

	private static final String KEY = "/transactional-1";

	private static final String RIDE = "/ride-1";

	private static final long LEASE = Node.LEASE * 1000L;

	private final History history = new History();

	private final Map<String, Map<String, List<String>>> rows = new HashMap<>();

	private final Map<String, Integer> charges = new HashMap<>();

	private final Map<String, List<LeaseChange>> leases = new HashMap<>();

	private final List<Held> held = new ArrayList<>();

	private final List<String> left = new ArrayList<>();

	private List<Violation> check() {
		return HistoryChecker.check(this.history, new Rest(this.rows, this.charges, this.leases, this.held, this.left));
	}

	private void assertBroken(Promise promise, String key) {
		assertThat(check()).extracting(Violation::promise, Violation::key).containsExactly(tuple(promise, key));
	}

	private Runnable send(String key, String variant, int status, boolean replayed, String body) {
		Sent sent = new Sent(0, variant, 0, "a");
		long position = this.history.add(key, sent);
		return () -> this.history.add(key, new Answered(position, sent, status, replayed, body));
	}

	private void exchange(String key, int status, boolean replayed, String body) {
		send(key, "A", status, replayed, body).run();
	}

	private void row(String key, String part, String id) {
		this.rows.computeIfAbsent(part, (absent) -> new HashMap<>())
			.computeIfAbsent(key, (absent) -> new ArrayList<>())
			.add(id);
	}

	private static String id(String id) {
		return "{\"id\":\"" + id + "\"}";
	}

	@Test
	void aFaultlessHistoryHasNoViolations() {
		Sent lost = new Sent(0, "A", 0, "a");
		this.history.add(KEY, new Unanswered(this.history.add(KEY, lost), lost, "cut"));
		this.history.note("", "a fault");
		exchange(KEY, 409, false, "in progress");
		exchange(KEY, 201, false, id("x"));
		exchange(KEY, 201, true, id("x"));
		send(KEY, "B", 422, false, "key-reused").run();
		row(KEY, Effect.DONE, "x");
		exchange("/leased-2", 402, false, "declined");
		exchange("/leased-2", 402, true, "declined");
		exchange(RIDE, 201, true, id("y"));
		row(RIDE, Effect.BEGUN, "b");
		row(RIDE, Effect.DONE, "y");
		this.charges.put(RIDE, 1);
		lease(change(0, null, new LeaseState(1, LEASE, false)),
				change(10, new LeaseState(1, LEASE, false), new LeaseState(1, 10 + LEASE, false)),
				change(20, new LeaseState(1, 10 + LEASE, false), new LeaseState(1, 10 + LEASE, true)),
				change(30, new LeaseState(1, 10 + LEASE, true), null));
		assertThat(check()).isEmpty();
	}

	@Test
	void aSuccessWithoutARowIsFound() {
		exchange(KEY, 201, false, id("x"));
		assertBroken(Promise.NO_LOST_EFFECT, KEY);
	}

	@Test
	void aSuccessThatNamesAnotherRowIsFound() {
		exchange(KEY, 201, false, id("x"));
		row(KEY, Effect.DONE, "y");
		assertBroken(Promise.NO_LOST_EFFECT, KEY);
	}

	@Test
	void aSecondRowIsFound() {
		exchange(KEY, 201, false, id("x"));
		row(KEY, Effect.DONE, "x");
		row(KEY, Effect.DONE, "y");
		assertBroken(Promise.ONE_EFFECT, KEY);
	}

	@Test
	void aStepThatWasDoneTwiceIsFound() {
		exchange(RIDE, 402, false, "declined");
		row(RIDE, Effect.BEGUN, "x");
		row(RIDE, Effect.BEGUN, "y");
		assertBroken(Promise.ONE_EFFECT, RIDE);
	}

	@Test
	void aRowThatNobodyAskedForIsFound() {
		row(KEY, Effect.DONE, "x");
		assertBroken(Promise.NO_STRAY_EFFECT, KEY);
	}

	@Test
	void aRowOfARefusedRequestIsFound() {
		exchange(KEY, 402, false, "declined");
		row(KEY, Effect.DONE, "x");
		assertBroken(Promise.NO_EFFECT_OF_A_REFUSAL, KEY);
	}

	@Test
	void aRowOfAnAbandonedRequestIsFound() {
		exchange(KEY, 410, true, "gone");
		row(KEY, Effect.DONE, "x");
		assertBroken(Promise.NO_EFFECT_OF_A_REFUSAL, KEY);
	}

	@Test
	void aReplayThatDiffersInOneByteIsFound() {
		exchange(KEY, 402, false, "declined");
		exchange(KEY, 402, true, "declined ");
		assertBroken(Promise.ONE_ANSWER, KEY);
	}

	@Test
	void aReplayWithAnotherStatusIsFound() {
		exchange(KEY, 402, false, "declined");
		exchange(KEY, 410, true, "declined");
		assertBroken(Promise.ONE_ANSWER, KEY);
	}

	@Test
	void aSecondExecutionThatAnswersTheSameIsFound() {
		exchange(KEY, 402, false, "declined");
		exchange(KEY, 402, false, "declined");
		assertBroken(Promise.ONE_ORIGINAL, KEY);
	}

	@Test
	void aMismatchOfTheOnlyBodyIsFound() {
		exchange(KEY, 422, false, "key-reused");
		exchange(KEY, 402, false, "declined");
		assertBroken(Promise.MISMATCH_IS_TRUE, KEY);
	}

	@Test
	void aMismatchOfTheBodyOfTheOutcomeIsFoundOnceItWasTold() {
		send(KEY, "B", 422, false, "key-reused").run();
		exchange(KEY, 402, false, "declined");
		exchange(KEY, 422, false, "key-reused");
		assertBroken(Promise.MISMATCH_IS_TRUE, KEY);
	}

	@Test
	void aMismatchWhileAnotherBodyIsExecutedIsNone() {
		Runnable other = send(KEY, "B", 503, false, "unavailable");
		exchange(KEY, 422, false, "key-reused");
		other.run();
		exchange(KEY, 402, false, "declined");
		assertThat(check()).isEmpty();
	}

	@Test
	void anOutcomeForAnotherBodyIsFound() {
		exchange(KEY, 402, false, "declined");
		send(KEY, "B", 402, true, "declined").run();
		assertBroken(Promise.MISMATCH_IS_TOLD, KEY);
	}

	@Test
	void aStatusThatNobodyWasToldAboutIsFound() {
		exchange(KEY, 404, false, "not found");
		exchange(KEY, 402, false, "declined");
		assertBroken(Promise.EXPECTED_STATUS, KEY);
	}

	@Test
	void aRequestThatNeverEndsIsFound() {
		exchange(KEY, 409, false, "in progress");
		assertBroken(Promise.ANSWERED, KEY);
	}

	@Test
	void aRideWithoutAChargeIsFound() {
		exchange(RIDE, 201, false, id("x"));
		row(RIDE, Effect.DONE, "x");
		assertBroken(Promise.CHARGED_AS_RIDDEN, RIDE);
	}

	@Test
	void aRideThatWasChargedTwiceIsFound() {
		exchange(RIDE, 201, false, id("x"));
		row(RIDE, Effect.DONE, "x");
		this.charges.put(RIDE, 2);
		assertBroken(Promise.CHARGED_AS_RIDDEN, RIDE);
	}

	@Test
	void aChargeOfADeclinedRideIsFound() {
		exchange(RIDE, 402, false, "declined");
		this.charges.put(RIDE, 1);
		assertBroken(Promise.CHARGED_AS_RIDDEN, RIDE);
	}

	private void lease(LeaseChange... changes) {
		this.leases.put("id", List.of(changes));
	}

	private static LeaseChange change(long at, @Nullable LeaseState before, @Nullable LeaseState after) {
		return new LeaseChange(at, at, before, after);
	}

	@Test
	void aTakeoverBeforeTheEndOfALeaseIsFound() {
		lease(change(LEASE - 1, new LeaseState(1, LEASE, false), new LeaseState(2, 2 * LEASE, false)));
		assertBroken(Promise.LEASE_IS_KEPT, "");
	}

	@Test
	void aTakeoverAtTheEndOfALeaseIsNone() {
		lease(change(LEASE, new LeaseState(1, LEASE, false), new LeaseState(2, 2 * LEASE, false)));
		assertThat(check()).isEmpty();
	}

	@Test
	void aLeaseThatItsOwnerGivesUpIsNoTakeover() {
		lease(change(5, new LeaseState(1, LEASE, true), new LeaseState(2, 5, true)));
		assertThat(check()).isEmpty();
	}

	@Test
	void aLeaseThatIsShorterThanPromisedIsFound() {
		lease(change(0, null, new LeaseState(1, LEASE - 1, false)));
		assertBroken(Promise.LEASE_IS_KEPT, "");
	}

	@Test
	void aHeartbeatThatShortensALeaseIsFound() {
		lease(change(10, new LeaseState(1, LEASE, false), new LeaseState(1, LEASE - 1, false)));
		assertBroken(Promise.LEASE_IS_KEPT, "");
	}

	@Test
	void aTakeoverOfARequestWithEffectsIsFound() {
		lease(change(LEASE, new LeaseState(1, LEASE, true), new LeaseState(2, 2 * LEASE, true)));
		assertBroken(Promise.EFFECTS_ARE_KEPT, "");
	}

	private void hold(int beats, long pause) {
		this.held.add(new Held(KEY, "id", LongStream.range(0, beats).map((i) -> i * pause).boxed().toList()));
		exchange(KEY, 402, false, "declined");
	}

	@Test
	void aLeaseThatIsNotExtendedWhileItsHandlerGetsThroughIsFound() {
		lease(change(-1, null, new LeaseState(1, LEASE, false)));
		hold(HistoryChecker.BEATS, 1);
		assertBroken(Promise.LEASE_IS_EXTENDED, KEY);
	}

	@Test
	void aLeaseThatIsExtendedLateOnASlowMachineIsKept() {
		LeaseState end = new LeaseState(1, LEASE - 1, false);
		lease(change(-1, null, end), change(5 * LEASE, end, new LeaseState(1, 6 * LEASE, false)));
		hold(HistoryChecker.BEATS, LEASE);
		assertThat(check()).isEmpty();
	}

	@Test
	void aLeaseThatIsLostOnASlowMachineIsNotExtendedAfterwards() {
		lease(change(-1, null, new LeaseState(1, LEASE, false)),
				change(LEASE, new LeaseState(1, LEASE, false), new LeaseState(2, 2 * LEASE, false)));
		hold(HistoryChecker.BEATS, LEASE);
		assertThat(check()).isEmpty();
	}

	@Test
	void whatIsLeftBehindIsFound() {
		this.left.add("lease of POST /leased");
		assertBroken(Promise.NOTHING_LEFT, "");
	}

	@Test
	void theHistoryOfAKeyHasItsEventsAndTheFaultsBetweenThem() {
		this.history.note("", "before");
		Runnable answer = send(KEY, "A", 402, false, "declined");
		this.history.note("", "a fault");
		exchange("/leased-2", 402, false, "of another key");
		answer.run();
		this.history.note("", "after");
		assertThat(this.history.of(KEY).lines()).hasSize(3)
			.satisfiesExactly((line) -> assertThat(line).contains("sends body A to node a"),
					(line) -> assertThat(line).contains("a fault"),
					(line) -> assertThat(line).contains("gets 402 from node a: declined"));
	}

}
