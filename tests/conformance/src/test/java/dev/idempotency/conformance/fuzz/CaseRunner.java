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

package dev.idempotency.conformance.fuzz;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.Responses;
import dev.idempotency.conformance.app.Wire;
import dev.idempotency.conformance.fuzz.Violation.Kind;

/**
 * The oracle. Runs a case unprotected and protected: first with a duplicate in flight and
 * retries, then with several deliveries at once, and compares wire, rows and executions
 * with what the contract says.
 */
final class CaseRunner {

	private static final int BURST = 3;

	private final FuzzServer server;

	private final FuzzCase fuzz;

	private final Expectation expectation;

	private final List<Violation> violations = new ArrayList<>();

	private CaseRunner(FuzzServer server, FuzzCase fuzz) {
		this.server = server;
		this.fuzz = fuzz;
		this.expectation = new Expectation(fuzz, server.setting());
	}

	/**
	 * Runs a case.
	 * @param server the server
	 * @param fuzz the case
	 * @param patience how long what is being cleaned up may take
	 */
	static List<Violation> run(FuzzServer server, FuzzCase fuzz, Duration patience) {
		CaseRunner runner = new CaseRunner(server, fuzz);
		runner.run(patience);
		return runner.violations;
	}

	private void run(Duration patience) {
		Wire first = CaseRequest.comparable(newRequest(Protection.UNPROTECTED).send());
		CaseRequest later = newRequest(Protection.UNPROTECTED);
		this.server.executions().heal(later.key());
		Wire healed = CaseRequest.comparable(later.send());
		boolean refused = oneByOne(newRequest(this.fuzz.protection()), first, healed);
		atOnce(newRequest(this.fuzz.protection()), first, healed, refused);
		if (refused && this.fuzz.protection() == Protection.PHASES) {
			// A request in phases that has not ended keeps its recovery point.
			this.server.forgetLeases();
		}
		String leftBehind = this.server.leftBehind(patience);
		check(leftBehind.isEmpty(), Kind.LEFT_BEHIND, () -> leftBehind);
		List<String> findings = this.server.takeFindings();
		check(findings.isEmpty(), Kind.THREAD, findings::toString);
	}

	private CaseRequest newRequest(Protection protection) {
		return new CaseRequest(this.server, this.fuzz, protection, UUID.randomUUID().toString());
	}

	/**
	 * A first delivery with a duplicate while it runs, a retry, and another retry.
	 * @return whether the handler was refused
	 */
	private boolean oneByOne(CaseRequest request, Wire first, Wire healed) {
		long records = this.server.records();
		HttpResponse<byte[]> response = sendWithDuplicate(request);
		boolean refused = this.expectation.isRefused()
				|| (this.expectation.mayBeRefused() && response.statusCode() == 500);
		requireFirstAnswer(response, first, refused);
		boolean stored = Expectation.isFinal(response.statusCode());
		this.server.executions().heal(request.key());
		HttpResponse<byte[]> retry = request.send();
		if (refused) {
			check(retry.statusCode() == 500 && !isReplay(retry), Kind.FIRST_ANSWER,
					() -> "a retry of what was refused: " + CaseRequest.describe(retry));
			check(this.server.records() == records, Kind.RECORDS, () -> "something is stored of what was refused");
			requireRowsOfRefused(request, 2);
			return true;
		}
		if (stored) {
			requireReplay(response, retry);
			requireExecutions(request, 1);
		}
		else {
			check(!isReplay(retry) && CaseRequest.comparable(retry).equals(healed), Kind.FIRST_ANSWER,
					() -> "a retry after " + response.statusCode() + " answered " + CaseRequest.describe(retry)
							+ " instead of " + healed);
			requireReplay(retry, request.send());
			requireExecutions(request, 2);
		}
		requireMismatch(request);
		requireRows(request, stored ? 1 : 0, stored ? 0 : 1, stored ? response : retry);
		check(this.server.records() == records + 1, Kind.RECORDS,
				() -> (this.server.records() - records) + " records of one request");
		return false;
	}

	private HttpResponse<byte[]> sendWithDuplicate(CaseRequest request) {
		Executions.Hold hold = this.server.executions().hold(request.key());
		CompletableFuture<HttpResponse<byte[]>> owner = Parallel.start(request::send);
		CompletableFuture.anyOf(owner, hold.reached()).join();
		if (hold.reached().isDone()) {
			HttpResponse<byte[]> duplicate = request.send();
			check(isInProgress(duplicate), Kind.IN_FLIGHT, () -> CaseRequest.describe(duplicate));
		}
		hold.opened().complete(null);
		return owner.join();
	}

	private void requireFirstAnswer(HttpResponse<byte[]> response, Wire first, boolean refused) {
		check(!isReplay(response), Kind.FIRST_ANSWER, () -> "marked as a replay");
		if (refused || this.expectation.isPoisoned()) {
			check(response.statusCode() == 500, Kind.FIRST_ANSWER,
					() -> "not refused: " + CaseRequest.describe(response));
		}
		else {
			Wire wire = CaseRequest.comparable(response);
			check(isAsUnprotected(wire, first), Kind.FIRST_ANSWER, () -> wire + " instead of " + first);
		}
	}

	/**
	 * A result that could not be rendered is rolled back with the headers that describe
	 * it: the error is written into a separate response (ADR 2), while without protection
	 * they stay on it.
	 */
	private boolean isAsUnprotected(Wire wire, Wire unprotected) {
		if (this.fuzz.point() != Point.RENDERING) {
			return wire.equals(unprotected);
		}
		return wire.status() == unprotected.status() && wire.body().equals(unprotected.body())
				&& Objects.equals(wire.headers().get("content-type"), unprotected.headers().get("content-type"));
	}

	private void requireReplay(HttpResponse<byte[]> original, HttpResponse<byte[]> replay) {
		check(isReplay(replay) && CaseRequest.exact(replay).equals(CaseRequest.exact(original)), Kind.REPLAY,
				() -> CaseRequest.describe(replay) + " is no replay of " + CaseRequest.describe(original));
	}

	/**
	 * Requires that the key refuses every other request: another body, and another
	 * handler.
	 */
	private void requireMismatch(CaseRequest request) {
		int executions = this.server.executions().count(request.key());
		HttpResponse<byte[]> changed = request.sendChanged();
		check(isMismatch(changed), Kind.MISMATCH, () -> "another body: " + CaseRequest.describe(changed));
		if (this.fuzz.shape().isPicked()) {
			HttpResponse<byte[]> other = request.sendToTheOther();
			check(isMismatch(other), Kind.MISMATCH, () -> "another handler: " + CaseRequest.describe(other));
		}
		requireExecutions(request, executions);
	}

	/**
	 * Several deliveries at once, and one more.
	 */
	private void atOnce(CaseRequest request, Wire first, Wire healed, boolean refused) {
		List<HttpResponse<byte[]>> responses = Parallel.run(BURST, request::send);
		List<HttpResponse<byte[]>> originals = new ArrayList<>();
		List<HttpResponse<byte[]>> replays = new ArrayList<>();
		for (HttpResponse<byte[]> response : responses) {
			if (isReplay(response)) {
				replays.add(response);
			}
			else if (!isInProgress(response)) {
				requireFirstAnswer(response, first, refused);
				originals.add(response);
			}
		}
		this.server.executions().heal(request.key());
		HttpResponse<byte[]> last = request.send();
		if (refused) {
			requireRowsOfRefused(request, originals.size() + 1);
			return;
		}
		boolean stored = !originals.isEmpty() && Expectation.isFinal(originals.get(0).statusCode());
		if (stored) {
			check(originals.size() == 1, Kind.EXECUTIONS, () -> originals.size() + " first answers");
			replays.add(last);
			requireExecutions(request, 1, this.expectation.isStoredAfterRollback() ? BURST : 1);
		}
		else {
			check(!isReplay(last) && CaseRequest.comparable(last).equals(healed), Kind.FIRST_ANSWER, () -> "after "
					+ originals.size() + " failures " + CaseRequest.describe(last) + " instead of " + healed);
			requireExecutions(request, originals.size() + 1);
		}
		replays.forEach((replay) -> requireReplay(stored ? originals.get(0) : last, replay));
		int ended = this.server.executions().count(request.key());
		requireRows(request, stored ? ended : 0, stored ? 0 : ended - 1, stored ? originals.get(0) : last);
	}

	private void requireExecutions(CaseRequest request, int expected) {
		requireExecutions(request, expected, expected);
	}

	private void requireExecutions(CaseRequest request, int expected, int limit) {
		int executions = this.server.executions().count(request.key());
		check(executions >= expected && executions <= limit, Kind.EXECUTIONS,
				() -> executions + " executions instead of " + expected);
	}

	/**
	 * @param stored how many first attempts came to an answer that ended the request
	 * @param failed how many did not; a successful one came after them
	 */
	private void requireRows(CaseRequest request, int stored, int failed, HttpResponse<byte[]> answer) {
		int expected = this.expectation.rowsOfFirst() * (stored + failed)
				+ ((stored == 0) ? this.expectation.rowsOfSuccess() : 0);
		if (this.expectation.isWrittenInStep()) {
			expected = Math.min(1, expected);
		}
		List<String> rows = this.server.rows(request.key());
		int required = expected;
		check(rows.size() == required, Kind.ROWS,
				() -> rows.size() + " rows instead of " + required + " after " + CaseRequest.describe(answer));
		String text = CaseRequest.text(answer);
		if (text.contains("row=") && !text.contains("row=none")) {
			check(rows.stream().anyMatch((row) -> text.contains("row=" + row)), Kind.ROWS,
					() -> "the answer names a row that is not there: " + text);
		}
	}

	/**
	 * Of what was refused nothing stays, but for what never belonged to the transaction:
	 * {@code REQUIRES_NEW}, other threads, and steps that were done.
	 */
	private void requireRowsOfRefused(CaseRequest request, int attempts) {
		boolean isElsewhere = this.fuzz.writes() == Writes.REQUIRES_NEW || this.fuzz.place() == Place.LAST
				|| this.fuzz.protection() == Protection.PHASES || !this.expectation.isOneCommit();
		int limit = (isElsewhere && !this.expectation.isRefusedBeforeItWrites()) ? attempts : 0;
		List<String> rows = this.server.rows(request.key());
		check(rows.size() <= limit, Kind.ROWS, () -> rows.size() + " rows of what was refused");
	}

	private static boolean isReplay(HttpResponse<byte[]> response) {
		return response.headers().allValues(Responses.MARKER).equals(List.of("true"));
	}

	private static boolean isInProgress(HttpResponse<byte[]> response) {
		return response.statusCode() == 409 && CaseRequest.text(response).contains("/in-progress\"")
				&& response.headers().firstValue("Retry-After").filter((value) -> value.matches("\\d+")).isPresent();
	}

	private static boolean isMismatch(HttpResponse<byte[]> response) {
		return response.statusCode() == 422 && CaseRequest.text(response).contains("/key-reused\"")
				&& !isReplay(response);
	}

	private void check(boolean holds, Kind kind, Supplier<String> detail) {
		if (!holds) {
			this.violations.add(new Violation(kind, detail.get()));
		}
	}

}
