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

/**
 * The statements of one database, each written once.
 *
 * @param name the database's name, for the log
 * @param migrations the class path folder of its migrations
 * @param acquire tries to lock the identity for the transaction and then reads its live
 * record: two statements in one round trip. Parameters: lock key, id. Results:
 * (acquired), (fingerprint, status, content)
 * @param finish writes a complete record, or nothing where there is a live one.
 * Parameters: id, account, operation, fingerprint, status, content, ttl in seconds
 * @param deleteExpired deletes expired records that nobody else has locked. Parameter:
 * limit
 */
record SqlDialect(String name, String migrations, String acquire, String finish, String deleteExpired) {

	/**
	 * Two statements, not one: at READ COMMITTED each has a snapshot of its own, and the
	 * second is taken after the lock. In a single statement the record of an owner who
	 * committed between snapshot and lock would be missed.
	 * <p>
	 * The arbiter of {@code finish} is the primary key. Its {@code WHERE} makes the
	 * statement touch no row when the present record is alive.
	 */
	static final SqlDialect POSTGRESQL = new SqlDialect("PostgreSQL", "db/idempotency/postgresql", """
			select pg_try_advisory_xact_lock(?);
			select fingerprint, status, content from idempotency_record
			where id = ? and expires_at > clock_timestamp()""", """
			insert into idempotency_record as present
				(id, account, operation, fingerprint, status, content, finished_at, expires_at)
			select ?, ?, ?, ?, ?, ?, t, t + make_interval(secs => ?) from clock_timestamp() as t
			on conflict (id) do update set
				account = excluded.account, operation = excluded.operation, fingerprint = excluded.fingerprint,
				status = excluded.status, content = excluded.content,
				finished_at = excluded.finished_at, expires_at = excluded.expires_at
			where present.expires_at <= clock_timestamp()""", """
			delete from idempotency_record where ctid = any(array(
				select ctid from idempotency_record where expires_at <= now()
				order by expires_at limit ? for update skip locked))
			and expires_at <= now()""");

}
