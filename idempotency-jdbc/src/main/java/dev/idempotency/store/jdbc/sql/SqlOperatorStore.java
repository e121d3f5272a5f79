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
package dev.idempotency.store.jdbc.sql;

import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

import dev.idempotency.database.Statements;
import dev.idempotency.store.Identity;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.StoredAnswer;
import dev.idempotency.store.jdbc.connection.OwnConnection;

/**
 * The operators' view of the tables, each method on a separate connection.
 */
public abstract class SqlOperatorStore extends Statements implements OperatorStore {

	private static final byte[] START = {};

	private final String find = sql("""
			select account, operation, status, content, :micros(finished_at), :micros(expires_at), fingerprint
			from idempotency_record where id = ? and expires_at > :now""");

	private final String between = sql("""
			select id, account from idempotency_record where id between ? and ?
			union select id, account from idempotency_lease where namespace = ? and id between ? and ?
			order by id limit ?""");

	private final String countUnfinished = sql("""
			select count(*) from idempotency_lease where namespace = ? and account = ?""");

	/**
	 * Effects that were committed would be made twice by a retry, if nothing told of them
	 * any more. A step that was begun may have had effects in another system.
	 */
	private final String deleteUnfinished = sql("""
			delete from idempotency_lease
			where namespace = ? and account = ? and lease_until <= :now and not effects and steps is null""");

	private final OwnConnection own;

	private final String namespace;

	private final String overview;

	/**
	 * Creates a store.
	 * @param own the connection of each method
	 * @param namespace the application
	 * @param syntax the syntax of the database
	 * @param overview the query for the overview, each parameter of which is the
	 * namespace. Result: the number of records, of the requests under a lease, waiting
	 * and stuck; the age of the oldest in microseconds, and its operation
	 */
	protected SqlOperatorStore(OwnConnection own, String namespace, Syntax syntax, String overview) {
		super(syntax::in);
		this.own = own;
		this.namespace = namespace;
		this.overview = sql(overview);
	}

	@Override
	public final Overview overview() {
		Object[] namespaces = Collections.nCopies(StringUtils.countOccurrencesOf(this.overview, "?"), this.namespace)
			.toArray();
		return run((jdbc) -> jdbc.queryOne(this.overview, (row) -> {
			String operation = row.getString(6);
			Overview.Oldest oldest = (operation != null)
					? new Overview.Oldest(Syntax.duration(row.getLong(5)), operation) : null;
			return new Overview(row.getLong(1), row.getInt(2), row.getInt(3), row.getInt(4), oldest);
		}, namespaces));
	}

	@Override
	public final Optional<KeptRecord> find(Identity identity) {
		return run((jdbc) -> jdbc.query(this.find,
				(row) -> new KeptRecord(new Identity(identity.digest(), row.getBytes(1)), row.getString(2),
						row.getBytes(7), new StoredAnswer(row.getShort(3), row.getBytes(4)),
						Syntax.instant(row.getLong(5)), Syntax.instant(row.getLong(6))),
				(Object) identity.digest()))
			.stream()
			.findFirst();
	}

	@Override
	public final List<Identity> between(byte[] first, byte[] last, int limit) {
		return run((jdbc) -> jdbc.query(this.between, (row) -> new Identity(row.getBytes(1), row.getBytes(2)), first,
				last, this.namespace, first, last, limit));
	}

	@Override
	public final int countUnfinished(byte[] account) {
		return run((jdbc) -> jdbc.queryOne(this.countUnfinished, (row) -> row.getInt(1), this.namespace, account));
	}

	@Override
	public final int deleteUnfinished(byte[] account) {
		return run((jdbc) -> jdbc.update(this.deleteUnfinished, this.namespace, account));
	}

	@Override
	public final Sweep deleteFinished(byte[] account, byte @Nullable [] after, int limit) {
		return run((jdbc) -> deleteFinished(jdbc, account, (after != null) ? after : START, limit));
	}

	/**
	 * Deletes the records of an account in a part of the table.
	 * @param jdbc the statements on the connection of the batch
	 * @param after the identity after which the part begins, less than all if it is empty
	 */
	protected abstract Sweep deleteFinished(Jdbc jdbc, byte[] account, byte[] after, int limit) throws SQLException;

	private <T> T run(Jdbc.Work<T> work) {
		return this.own.run((connection) -> work.apply(new Jdbc(connection)));
	}

}
