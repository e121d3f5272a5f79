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

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import dev.idempotency.database.Statements;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.Lease.Progress;
import dev.idempotency.store.UnfinishedStore;
import dev.idempotency.store.jdbc.connection.OwnConnection;

/**
 * The requests of one application that have no answer, each method on a separate
 * connection.
 */
public abstract class SqlUnfinishedStore extends Statements implements UnfinishedStore {

	/**
	 * The columns of a request.
	 */
	protected static final String COLUMNS = """
			id, account, fence, operation, fingerprint, :micros(created_at), :micros(lease_until), lease_until > :now,
				effects, attempts, recovery_point, steps, command, :micros(retry_at), :micros(stuck_at), last_error,
				node
			""";

	/**
	 * The columns of a listed request, without its content, which may have a megabyte.
	 */
	protected static final String LISTED = COLUMNS.replace("steps, command", "null, null");

	/**
	 * Reads a request. Parameters: namespace, id.
	 */
	protected static final String FIND = "select " + COLUMNS + "from idempotency_lease where namespace = ? and id = ?";

	/**
	 * Claims a request for an operator. An owner that was slower than its lease may
	 * commit effects that the operator has not seen. Parameters: microseconds, node,
	 * namespace, id, fence, effects.
	 */
	protected static final String CLAIM = """
			update idempotency_lease set fence = :fence, lease_until = :later, node = ?
			where namespace = ? and id = ? and fence = ? and effects = ? and lease_until <= :now
			""";

	/**
	 * The lease ends now, not when it did: its sender has the full time again before the
	 * request is marked as stuck. It is one of the open requests again, and counted as
	 * the latest.
	 */
	private final String retry = sql(
			"""
					update idempotency_lease set fence = :fence, claim_number = :number, stuck_at = null, left_to_sender = false, uncounted = attempts, retry_at = :now,
						lease_until = :now, effects = false
					where namespace = ? and id = ? and fence = ? and effects = ? and lease_until <= :now""");

	private final String endResumption = sql("""
			update idempotency_lease set left_to_sender = false
			where namespace = ? and left_to_sender and stuck_at < :later""");

	private final String eraseCommand = sql("""
			update idempotency_lease set command = null
			where namespace = ? and command is not null and stuck_at < :later""");

	private final String find = sql(FIND);

	private final OwnConnection own;

	private final String namespace;

	/**
	 * Creates a store.
	 * @param own the connection of each method
	 * @param namespace the application
	 * @param syntax the syntax of the database
	 */
	protected SqlUnfinishedStore(OwnConnection own, String namespace, Syntax syntax) {
		super(syntax::in);
		this.own = own;
		this.namespace = namespace;
	}

	protected final String namespace() {
		return this.namespace;
	}

	@Override
	public final Optional<UnfinishedRecord> find(Identity identity) {
		return query(this.find, this.namespace, identity.digest()).stream().findFirst();
	}

	@Override
	public final boolean retry(UnfinishedRecord seen) {
		Lease lease = seen.lease();
		return run((jdbc) -> jdbc.update(this.retry, this.namespace, lease.identity().digest(), lease.fence(),
				seen.effects())) == 1;
	}

	@Override
	public final void retireStuck(Duration keep, Duration keepCommand) {
		run((jdbc) -> jdbc.update(this.endResumption, this.namespace, -Syntax.micros(keep))
				+ jdbc.update(this.eraseCommand, this.namespace, -Syntax.micros(keepCommand)));
	}

	protected final List<UnfinishedRecord> query(String sql, Object... parameters) {
		return run((jdbc) -> jdbc.query(sql, SqlUnfinishedStore::read, parameters));
	}

	protected final <T> T run(Jdbc.Work<T> work) {
		return this.own.run((connection) -> work.apply(new Jdbc(connection)));
	}

	/**
	 * Reads the {@link #COLUMNS} of a row.
	 */
	protected static UnfinishedRecord read(ResultSet row) throws SQLException {
		Lease lease = new Lease(new Identity(row.getBytes(1), row.getBytes(2)), row.getLong(3));
		Progress progress = new Progress(row.getInt(10), row.getString(11), row.getBytes(12));
		return new UnfinishedRecord(lease, row.getString(4), row.getBytes(5), Syntax.instant(row.getLong(6)),
				Syntax.instant(row.getLong(7)), row.getBoolean(8), row.getBoolean(9), progress, row.getBytes(13),
				instant(row, 14), instant(row, 15), row.getString(16), row.getString(17));
	}

	private static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
		long micros = row.getLong(column);
		return row.wasNull() ? null : Syntax.instant(micros);
	}

}
