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
package dev.idempotency.store.jpa;

import java.util.Locale;

import org.springframework.transaction.annotation.Isolation;

/**
 * The statements of one database, each written once.
 *
 * @param name the database's name, for the log
 * @param acquire tries to lock the identity for the transaction, and then reads its live
 * record or its lease: two statements in one round trip. Parameters: lock key, id, id.
 * Results: (acquired), (fingerprint, status, content, fence, expired, seconds left)
 * @param finish writes a complete record, or nothing where there is a live one.
 * Parameters: id, account, operation, fingerprint, status, content, ttl in seconds
 * @param lease commits a claim, and then reads as {@code acquire} does. Parameters: lock
 * key, id, namespace, account, operation, fingerprint, command, seconds, lock key, id,
 * takeover, attempts, id, id. Results: (acquired), (fence, attempts, recovery point,
 * steps), and what {@code acquire} reads
 * @param extend moves the end of claims. Parameters: seconds, ids, fences
 * @param confirm checks a claim, keeps it, and marks whether it has effects that must not
 * be repeated. Parameters: whether, id, fence
 * @param isHeld checks a claim. Parameters: id, fence. Result: a row if it holds
 * @param hold checks a claim and keeps it for the transaction. Parameters: lock key, id,
 * fence. Results: (setting), (nothing), a row if it holds, (setting)
 * @param advance stores how far a claim has come and extends it. Parameters: recovery
 * point, steps, seconds, id, fence. Results: (setting), a count, (setting)
 * @param interrupt gives a claim back. Parameters: error, attempts that do not count,
 * whether it counts, id, fence
 * @param finishLease ends a claim and writes its record. Parameters: id, fence and those
 * of {@code finish}
 * @param finishPhase as {@code finishLease}, at the end of a phase. Results: (setting), a
 * count, (setting)
 * @param release ends a claim. Parameters: id, fence
 * @param abandon lets claims expire. Parameters: ids, fences
 * @param supersede takes an expired claim away. Parameters: id, fence
 * @param partitions lists the tables that hold the records: their partitions, or the
 * table itself
 * @param deleteExpired deletes expired records that nobody else has locked from one of
 * these tables, whose name is to be put in for {@code %1$s}. Parameter: limit
 * @param now reads the clock
 * @param unfinished those of the completer and of operators
 * @param operators those of operators alone
 */
record SqlDialect(String name, String acquire, String finish, String lease, String extend, String confirm,
		String isHeld, String hold, String advance, String interrupt, String finishLease, String finishPhase,
		String release, String abandon, String supersede, String partitions, String deleteExpired, String now,
		UnfinishedDialect unfinished, OperatorDialect operators) {

	/**
	 * The statement that holds a claim, after the one that sets the isolation of its
	 * transaction, which has to be the first.
	 * @param isolation the isolation
	 * @return the statements; the results are one more than those of {@link #hold()}
	 * unless the isolation is the database's own
	 */
	String hold(Isolation isolation) {
		return switch (isolation) {
			case DEFAULT -> this.hold;
			case READ_UNCOMMITTED, READ_COMMITTED, REPEATABLE_READ, SERIALIZABLE -> "set transaction isolation level "
					+ isolation.name().toLowerCase(Locale.ROOT).replace('_', ' ') + ";\n" + this.hold;
		};
	}

}
