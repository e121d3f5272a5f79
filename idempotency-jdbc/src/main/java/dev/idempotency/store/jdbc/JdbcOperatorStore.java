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
package dev.idempotency.store.jdbc;

import java.util.List;
import java.util.Optional;

import dev.idempotency.database.Statements;
import dev.idempotency.database.TableNames;
import dev.idempotency.store.Identity;
import dev.idempotency.store.OperatorStore;

/**
 * The operators' view of the tables, each method on a separate connection. Its statements
 * are SQL that all supported databases understand.
 */
abstract class JdbcOperatorStore extends Statements implements OperatorStore {

	static final byte[] START = {};

	final Jdbc jdbc;

	final String namespace;

	private final String find;

	private final String deleteUnfinished;

	/**
	 * Creates a store.
	 * @param now the time, in the SQL of the database
	 */
	JdbcOperatorStore(Jdbc jdbc, TableNames names, String namespace, String now) {
		super(names);
		this.jdbc = jdbc;
		this.namespace = namespace;
		this.find = sql("""
				select id, account, operation, fingerprint, status, content, finished_at, expires_at
				from idempotency_record where id = ? and expires_at > %s""".formatted(now));
		this.deleteUnfinished = sql("""
				delete from idempotency_lease
				where namespace = ? and account = ? and lease_until <= %s and not effects and steps is null"""
			.formatted(now));
	}

	@Override
	public Optional<KeptRecord> find(Identity identity) {
		return this.jdbc.separately((session) -> session.first(this.find, Rows::kept, (Object) identity.digest()));
	}

	private final String between = sql("""
			select id, account from idempotency_record where id between ? and ?
			union select id, account from idempotency_lease where namespace = ? and id between ? and ?
			order by id limit ?""");

	@Override
	public List<Identity> between(byte[] first, byte[] last, int limit) {
		return this.jdbc.separately((session) -> session.query(this.between, Rows::identity, first, last,
				this.namespace, first, last, limit));
	}

	private final String countUnfinished = sql("""
			select count(*) from idempotency_lease where namespace = ? and account = ?""");

	@Override
	public int countUnfinished(byte[] account) {
		return this.jdbc.separately(
				(session) -> session.queryOne(this.countUnfinished, (row) -> row.getInt(1), this.namespace, account));
	}

	/**
	 * Effects that were committed would be made twice by a retry, if nothing told of them
	 * any more. A step that was begun may have had effects in another system.
	 */
	@Override
	public int deleteUnfinished(byte[] account) {
		return this.jdbc.separately((session) -> session.update(this.deleteUnfinished, this.namespace, account));
	}

}
