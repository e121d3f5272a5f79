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
package dev.idempotency.store.jdbc.rowlock;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import dev.idempotency.store.HistoryText;
import dev.idempotency.store.Identity;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.StoredAnswer;
import dev.idempotency.store.jdbc.connection.OwnConnection;
import dev.idempotency.store.jdbc.sql.Jdbc;

/**
 * The operators' view by plain statements.
 *
 * @param own the connection of each method
 * @param namespace the application
 * @param syntax the parts of statements that differ between databases
 */
record RowLockOperators(OwnConnection own, String namespace, Syntax syntax) implements OperatorStore {

	private static final byte[] START = {};

	private static final String COUNTED = """
			select lease_until from idempotency_lease where namespace = ? and stuck_created_at %s limit %d""";

	private static final String OVERVIEW = """
			select (:records),
				(select count(*) from (:open) running where lease_until > :now)
					+ (select count(*) from (:stuck) resolving where lease_until > :now),
				(select count(*) from (:open) waiting where lease_until <= :now),
				(select count(*) from (:stuck) stuck where lease_until <= :now),
				timestampdiff(microsecond, (select created_at from idempotency_lease
					where namespace = ? order by created_at, id limit 1), :now),
				(select operation from idempotency_lease where namespace = ? order by created_at, id limit 1)
			""".replace(":open", COUNTED.formatted("is null", Overview.COUNTED))
		.replace(":stuck", COUNTED.formatted("is not null", Overview.COUNTED));

	private static final String FIND_FINISHED = """
			select account, operation, status, content, timestampdiff(microsecond, :epoch, finished_at),
				timestampdiff(microsecond, :epoch, expires_at), fingerprint, history
			from idempotency_record where id = ? and expires_at > :now""";

	private static final String BETWEEN = """
			select id, account from idempotency_record where id between ? and ?
			union select id, account from idempotency_lease where namespace = ? and id between ? and ?
			order by id limit ?""";

	private static final String COUNT_UNFINISHED = "select count(*) from idempotency_lease where namespace = ? and account = ?";

	private static final String DELETE_UNFINISHED = """
			delete from idempotency_lease where namespace = ? and account = ? and lease_until <= :now""";

	private static final String PAGE = "select id, account from idempotency_record where id > ? order by id limit ?";

	@Override
	public Overview overview() {
		return run((jdbc) -> jdbc.queryOne(OVERVIEW, (row) -> {
			String operation = row.getString(6);
			Overview.Oldest oldest = (operation != null)
					? new Overview.Oldest(Duration.ofMillis(row.getLong(5) / 1000), operation) : null;
			return new Overview(row.getLong(1), row.getInt(2), row.getInt(3), row.getInt(4), oldest);
		}, this.namespace, this.namespace, this.namespace, this.namespace, this.namespace, this.namespace));
	}

	@Override
	public Optional<KeptRecord> find(Identity identity) {
		return run((jdbc) -> jdbc.query(FIND_FINISHED,
				(row) -> new KeptRecord(new Identity(identity.digest(), row.getBytes(1)), row.getString(2),
						row.getBytes(7), new StoredAnswer(row.getInt(3), row.getBytes(4)),
						Syntax.instant(row.getLong(5)), Syntax.instant(row.getLong(6)),
						HistoryText.parse(row.getString(8))),
				(Object) identity.digest()))
			.stream()
			.findFirst();
	}

	@Override
	public List<Identity> between(byte[] first, byte[] last, int limit) {
		return run((jdbc) -> jdbc.query(BETWEEN, (row) -> new Identity(row.getBytes(1), row.getBytes(2)), first, last,
				this.namespace, first, last, limit));
	}

	@Override
	public int countUnfinished(byte[] account) {
		return run((jdbc) -> jdbc.queryOne(COUNT_UNFINISHED, (row) -> row.getInt(1), this.namespace, account));
	}

	@Override
	public int deleteUnfinished(byte[] account) {
		return run((jdbc) -> jdbc.update(DELETE_UNFINISHED, this.namespace, account));
	}

	@Override
	public Sweep deleteFinished(byte[] account, byte @Nullable [] after, int limit) {
		return run((jdbc) -> {
			List<Identity> page = jdbc.query(PAGE, (row) -> new Identity(row.getBytes(1), row.getBytes(2)),
					(after != null) ? after : START, limit);
			List<Identity> gone = page.stream()
				.filter((identity) -> Arrays.equals(identity.account(), account))
				.toList();
			jdbc.updateEach(RecordSql.DELETE_RECORD,
					gone.stream().map((identity) -> new Object[] { identity.digest() }).toList());
			return new Sweep(gone, (page.size() == limit) ? page.get(limit - 1).digest() : null);
		});
	}

	private <T> T run(Jdbc.Work<T> work) {
		return this.own.run((connection) -> work.apply(this.syntax.on(connection)));
	}

}
