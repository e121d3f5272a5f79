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
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import dev.idempotency.history.History.Answered;
import dev.idempotency.history.History.Event;
import dev.idempotency.history.History.Sent;
import dev.idempotency.history.Order.Operation;
import org.jspecify.annotations.Nullable;

/**
 * Holds what clients have seen against what is left when all faults have ended.
 */
final class HistoryChecker {

	/**
	 * A promise that can be broken.
	 */
	enum Promise {

		/** A success that was told has its row, with the id that was told. */
		NO_LOST_EFFECT,

		/** A key has one row at most, for each step of a ride. */
		ONE_EFFECT,

		/** A row belongs to a key that was sent. */
		NO_STRAY_EFFECT,

		/** A refusal that was told has no row. */
		NO_EFFECT_OF_A_REFUSAL,

		/** All outcomes that were told for a key are equal: status and body. */
		ONE_ANSWER,

		/** One answer at most is not marked as a replay. */
		ONE_ORIGINAL,

		/** A mismatch is told only for a body that is not that of the outcome. */
		MISMATCH_IS_TRUE,

		/** A request with another body does not get the outcome. */
		MISMATCH_IS_TOLD,

		/** Statuses are among those that clients have been told about. */
		EXPECTED_STATUS,

		/** A client that repeats its request gets an outcome in the end. */
		ANSWERED,

		/**
		 * A lease lasts its full time from the statement that gives or extends it, and
		 * nobody else gets it before its end.
		 */
		LEASE_IS_KEPT,

		/** A node that is well extends its leases. */
		LEASE_IS_EXTENDED,

		/** Nobody executes a request again that has committed effects. */
		EFFECTS_ARE_KEPT,

		/** A ride that has succeeded was charged once, and no other was. */
		CHARGED_AS_RIDDEN,

		/** Nothing is left in the database but rows and answers. */
		NOTHING_LEFT

	}

	/**
	 * A broken promise.
	 *
	 * @param promise which one
	 * @param key the key, empty if it is not about one
	 * @param detail what was seen
	 */
	record Violation(Promise promise, String key, String detail) {

	}

	/**
	 * The state when all faults have ended and all clients have their answers.
	 *
	 * @param rows the ids of rows, by step and key
	 * @param charges the number of charges by key
	 * @param leases the changes of leases in their order, by the id of their request
	 * @param held the requests that were held before the first fault
	 * @param left what is left behind, such as a lease
	 */
	record Rest(Map<String, Map<String, List<String>>> rows, Map<String, Integer> charges,
			Map<String, List<LeaseChange>> leases, List<Held> held, List<String> left) {

		List<String> done(String key) {
			return this.rows.getOrDefault(Effect.DONE, Map.of()).getOrDefault(key, List.of());
		}

	}

	/**
	 * A committed change of a lease, in microseconds of the database's clock.
	 *
	 * @param said when the server got the statement
	 * @param at when the statement had changed the lease
	 * @param before the lease until then, {@code null} if it is new
	 * @param after the lease from then on, {@code null} if it has ended
	 */
	record LeaseChange(long said, long at, @Nullable LeaseState before, @Nullable LeaseState after) {

		/**
		 * Returns whether somebody else has the lease now.
		 */
		boolean isTakeover() {
			return this.before != null && this.after != null && this.before.fence() != this.after.fence()
					&& this.after.until() > this.at;
		}

		/**
		 * Returns whether somebody has the lease, and for longer than before.
		 */
		boolean isGrant() {
			return this.after != null && this.after.until() > this.at
					&& (this.before == null || this.before.until() != this.after.until());
		}

		/**
		 * Returns whether its owner has it no more.
		 */
		boolean isEnd() {
			return this.before != null && (this.after == null || this.before.fence() != this.after.fence());
		}

	}

	/**
	 * The state of a lease.
	 *
	 * @param fence whose it is
	 * @param until its end
	 * @param effects whether its owner has committed effects
	 */
	record LeaseState(long fence, long until, boolean effects) {

	}

	/**
	 * A request whose handler was held while no fault lasted.
	 *
	 * @param key its key
	 * @param id the id of its lease
	 * @param beats when its handler made a round trip to the database, a heartbeat after
	 * the other
	 */
	record Held(String key, String id, List<Long> beats) {

	}

	/** The round trips of a handler in which its node extends its lease at least once. */
	static final int BEATS = 12;

	private final History history;

	private final Rest rest;

	private final List<Violation> violations = new ArrayList<>();

	private HistoryChecker(History history, Rest rest) {
		this.history = history;
		this.rest = rest;
	}

	/**
	 * Checks a history.
	 * @param history what clients have seen
	 * @param rest what is left
	 * @return the broken promises
	 */
	static List<Violation> check(History history, Rest rest) {
		HistoryChecker checker = new HistoryChecker(history, rest);
		checker.check();
		return checker.violations;
	}

	private void check() {
		Map<String, List<Event>> keys = this.history.events()
			.filter((event) -> !event.key().isEmpty())
			.collect(Collectors.groupingBy(Event::key, LinkedHashMap::new, Collectors.toList()));
		keys.forEach(this::check);
		this.rest.rows().forEach((part, rows) -> rows.forEach((key, ids) -> {
			expect(ids.size() <= 1, Promise.ONE_EFFECT, key, part + " " + ids);
			expect(keys.containsKey(key), Promise.NO_STRAY_EFFECT, key, part + " " + ids);
		}));
		this.rest.leases().forEach((id, changes) -> changes.forEach((change) -> checkLease(id, change)));
		this.rest.held().forEach(this::checkHeld);
		this.rest.left().forEach((left) -> expect(false, Promise.NOTHING_LEFT, "", left));
	}

	private void check(String key, List<Event> events) {
		List<Answered> answers = answers(events);
		List<Answered> outcomes = answers.stream().filter(Answered::isOutcome).toList();
		expect(!outcomes.isEmpty(), Promise.ANSWERED, key, "no outcome");
		for (Answered answer : answers) {
			expect(Set.of(201, 402, 409, 410, 422, 429, 500, 503).contains(answer.status()), Promise.EXPECTED_STATUS,
					key, answer.toString());
		}
		if (outcomes.isEmpty()) {
			return;
		}
		Answered outcome = outcomes.get(0);
		List<String> done = this.rest.done(key);
		for (Answered other : outcomes) {
			expect(other.status() == outcome.status() && other.body().equals(outcome.body()), Promise.ONE_ANSWER, key,
					outcome + " / " + other);
			expect(!other.isSuccess() || done.stream().anyMatch(other.body()::contains), Promise.NO_LOST_EFFECT, key,
					other + " / " + done);
			expect(other.isSuccess() || done.isEmpty(), Promise.NO_EFFECT_OF_A_REFUSAL, key, other + " / " + done);
		}
		if (Operation.of(key) != Operation.SERVICE) {
			List<Answered> originals = outcomes.stream().filter((answer) -> !answer.replayed()).toList();
			expect(originals.size() <= 1, Promise.ONE_ORIGINAL, key, originals.toString());
		}
		if (Operation.of(key) == Operation.RIDE) {
			int charges = this.rest.charges().getOrDefault(key, 0);
			expect(charges == (outcome.isSuccess() ? 1 : 0), Promise.CHARGED_AS_RIDDEN, key, charges + " charges");
		}
		checkVariants(key, events, outcome);
	}

	/**
	 * The body of the outcome is that of the request. A request that is sent after its
	 * outcome was told is compared with that; before, it may have met another body, if
	 * one was sent.
	 */
	private void checkVariants(String key, List<Event> events, Answered outcome) {
		String variant = outcome.sent().variant();
		long told = events.stream().filter((event) -> event.what() == outcome).findFirst().orElseThrow().sequence();
		Set<String> sent = new HashSet<>();
		for (Event event : events) {
			if (event.what() instanceof Sent request) {
				sent.add(request.variant());
			}
			if (event.what() instanceof Answered answer && answer.isFinal()) {
				boolean own = answer.sent().variant().equals(variant);
				expect(own || answer.isMismatch(), Promise.MISMATCH_IS_TOLD, key, answer.toString());
				expect(!own || !answer.isMismatch() || (sent.size() > 1 && answer.request() < told),
						Promise.MISMATCH_IS_TRUE, key, answer.toString());
			}
		}
	}

	private void checkLease(String id, LeaseChange change) {
		LeaseState before = change.before();
		LeaseState after = change.after();
		String detail = id + " " + change;
		if (before != null && change.isTakeover()) {
			expect(before.until() <= change.at(), Promise.LEASE_IS_KEPT, "", detail);
			expect(!before.effects(), Promise.EFFECTS_ARE_KEPT, "", detail);
		}
		if (after != null && change.isGrant()) {
			expect(after.until() >= change.said() + Node.LEASE * 1000L, Promise.LEASE_IS_KEPT, "", detail);
		}
	}

	/**
	 * The thread of the handler and that of the heartbeats are of one process and need
	 * the same database, at the same pace. A machine or a network that is slow is slow
	 * for both.
	 */
	private void checkHeld(Held held) {
		List<LeaseChange> changes = this.rest.leases().getOrDefault(held.id(), List.of());
		long end = changes.stream().filter(LeaseChange::isEnd).mapToLong(LeaseChange::at).min().orElse(Long.MAX_VALUE);
		List<Long> beats = held.beats().stream().filter((beat) -> beat < end).toList();
		for (int first = 0; first + BEATS <= beats.size(); first++) {
			long from = beats.get(first);
			long to = beats.get(first + BEATS - 1);
			expect(changes.stream().anyMatch((change) -> change.isGrant() && change.at() > from && change.at() < to),
					Promise.LEASE_IS_EXTENDED, held.key(), "not between " + from + " and " + to + ": " + changes);
		}
	}

	private static List<Answered> answers(List<Event> events) {
		return events.stream().map(Event::what).filter(Answered.class::isInstance).map(Answered.class::cast).toList();
	}

	private void expect(boolean kept, Promise promise, String key, String detail) {
		if (!kept) {
			this.violations.add(new Violation(promise, key, detail));
		}
	}

}
