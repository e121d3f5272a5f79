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
package dev.idempotency.benchmarks.load;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import dev.idempotency.benchmarks.app.MeasuredApplication;
import dev.idempotency.benchmarks.app.PaymentController;
import dev.idempotency.benchmarks.load.HttpConnection.Reply;

/**
 * A kind of request that is measured.
 *
 * @param name its name in the tables
 * @param ports the ports of the application: one, or one of each node
 * @param path the path
 * @param keys gives the key of the next request, an empty one for none
 * @param accounts gives the account of the next request
 * @param workload the body
 * @param expected what every reply has to be: what answers otherwise is not measured but
 * a failure
 */
public record Variant(String name, List<Integer> ports, String path, Supplier<String> keys, Supplier<String> accounts,
		Workload workload, Reply expected) {

	static final String ONE_ACCOUNT = "one";

	private static final Reply CREATED = new Reply(201, false);

	public static Variant unprotected(MeasuredApplication application) {
		return of("unprotected", application, PaymentController.UNPROTECTED, newKeys(), CREATED);
	}

	public static Variant fresh(String name, MeasuredApplication application) {
		return of(name, application, PaymentController.PROTECTED, newKeys(), CREATED);
	}

	public static Variant storeAlone(MeasuredApplication application) {
		return of("the store alone", application, PaymentController.STORE_ALONE, newKeys(), CREATED);
	}

	public static Variant claimRowAlone(MeasuredApplication application) {
		return of("a claim row alone", application, PaymentController.CLAIM_ROW_ALONE, newKeys(), CREATED);
	}

	public static Variant recordByHand(MeasuredApplication application) {
		return of("record by hand", application, PaymentController.RECORD_BY_HAND, newKeys(), CREATED);
	}

	public static Variant claimAndRecordByHand(MeasuredApplication application) {
		return of("claim and record by hand", application, PaymentController.CLAIM_AND_RECORD_BY_HAND, newKeys(),
				CREATED);
	}

	public static Variant freshLeased(MeasuredApplication application) {
		return of("fresh LEASED", application, PaymentController.LEASED, newKeys(), CREATED);
	}

	public static Variant freshLeasedInCommits(MeasuredApplication application) {
		return of("fresh LEASED without @Transactional", application, PaymentController.LEASED_IN_COMMITS, newKeys(),
				CREATED);
	}

	public static Variant withoutKey(MeasuredApplication application) {
		return of("optional key absent", application, PaymentController.OPTIONAL, () -> "", CREATED);
	}

	public static Variant replay(String name, MeasuredApplication application, long records) {
		return of(name, application, PaymentController.PROTECTED, knownKeys(records), new Reply(201, true));
	}

	public static Variant mismatch(MeasuredApplication application, long records) {
		return of("422 key-reused", application, PaymentController.PROTECTED, knownKeys(records), new Reply(422, false))
			.with(Workload.OTHER_PAYMENT);
	}

	public static Variant duplicate(MeasuredApplication application, String key) {
		return of("409 in-progress", application, PaymentController.BLOCKED, () -> key, new Reply(409, false));
	}

	public static Variant ping(MeasuredApplication application) {
		return of("no database", application, PaymentController.PING, () -> "", new Reply(200, false));
	}

	private static Variant of(String name, MeasuredApplication application, String path, Supplier<String> keys,
			Reply expected) {
		return new Variant(name, List.of(application.port()), path, keys, () -> ONE_ACCOUNT, Workload.PAYMENT,
				expected);
	}

	public Variant named(String other) {
		return new Variant(other, this.ports, this.path, this.keys, this.accounts, this.workload, this.expected);
	}

	public Variant with(Workload other) {
		return new Variant(this.name, this.ports, this.path, this.keys, this.accounts, other, this.expected);
	}

	public Variant at(String other) {
		return new Variant(this.name, this.ports, other, this.keys, this.accounts, this.workload, this.expected);
	}

	public Variant on(List<Integer> others) {
		return new Variant(this.name, others, this.path, this.keys, this.accounts, this.workload, this.expected);
	}

	/**
	 * A separate account for each request, out of many.
	 */
	public Variant ofAccounts(int number) {
		return new Variant(this.name, this.ports, this.path, this.keys,
				() -> "account-" + ThreadLocalRandom.current().nextInt(number), this.workload, this.expected);
	}

	/**
	 * Replays of one key.
	 */
	public Variant replayed(String other, String key) {
		return new Variant(other, this.ports, this.path, () -> key, this.accounts, this.workload, new Reply(201, true));
	}

	private static Supplier<String> newKeys() {
		String run = UUID.randomUUID() + "-";
		AtomicLong next = new AtomicLong();
		return () -> run + next.incrementAndGet();
	}

	private static Supplier<String> knownKeys(long records) {
		return () -> RecordTable.key(ThreadLocalRandom.current().nextLong(records));
	}

}
