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
package dev.idempotency.outbox;

import java.nio.ByteBuffer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.PreparedStatementCallback;

import dev.idempotency.database.Statements;
import dev.idempotency.database.TableNames;
import dev.idempotency.engine.identity.DigestKeys;
import dev.idempotency.outbox.Outbox.Backlog;
import dev.idempotency.outbox.Outbox.FailingEvent;

/**
 * The statements of the outbox, for PostgreSQL.
 * <p>
 * {@link #stage} takes the lock of destination and key before the insert takes its
 * position from the sequence, and keeps it until the transaction has committed: for one
 * key the order of positions is the order of commits, and a snapshot with an event has
 * all that are ahead of it. A position that was taken without the lock could become
 * visible after a greater one was sent.
 * <p>
 * {@link #claim} takes first events only. A first event that another node has claimed is
 * skipped, but still exists: the ones behind it are not first. That holds also for a
 * statement whose snapshot is older than the removal, because a removed row cannot be
 * locked. Keys of refused events are excluded as a short cut: the events that wait behind
 * these are not first.
 * <p>
 * Events before a {@link ReadPosition} are not read. Each transaction takes an id before
 * its first position, as that requires.
 */
final class OutboxTable extends Statements {

	/** An event without a key takes no lock: there is none for null. */
	private final String stage = sql("""
			select pg_current_xact_id(), pg_advisory_xact_lock(?);
			insert into idempotency_outbox (namespace, id, destination, key, type, content)
			values (?, ?, ?, ?, ?, ?)""");

	private final String claim = sql(
			"""
					select position, id, destination, key, type, content, published_at, failures,
						extract(epoch from clock_timestamp() - published_at) as age
					from idempotency_outbox as event
					where namespace = ? and position >= ? and (retry_at is null or retry_at <= clock_timestamp()) and destination <> all (?)
						and (key is null or (destination, key) not in (
							select destination, key from idempotency_outbox
							where namespace = ? and key is not null and retry_at > clock_timestamp()))
						and (key is null or position = (
							select earliest.position from idempotency_outbox as earliest
							where earliest.namespace = event.namespace and earliest.destination = event.destination
								and earliest.key = event.key and earliest.position >= ?
							order by earliest.position limit 1))
					order by position limit ? for update skip locked""");

	/**
	 * A removal that is lost in a crash of the database only causes another delivery, so
	 * nothing waits for the disk here. The statistics of a queue are outdated: with them
	 * the planner would read and sort the whole table.
	 */
	private static final String SETTINGS = """
			set local synchronous_commit = off; set local enable_seqscan = off; set local enable_bitmapscan = off""";

	private final String remove = sql("delete from idempotency_outbox where namespace = ? and position = any (?)");

	private final String postpone = sql("""
			update idempotency_outbox
			set failures = ?, retry_at = clock_timestamp() + make_interval(secs => ?), last_error = ?
			where namespace = ? and position = ?""");

	private final String rest = sql("""
			select extract(epoch from clock_timestamp() - first.published_at) as age, first.position as first,
				(select position from idempotency_outbox where namespace = ? and position >= ?
					order by position desc limit 1) as last,
				pg_snapshot_xmin(snapshot)::text::bigint as oldest_running,
				case when ? then pg_current_xact_id()::text::bigint end as new_transaction
			from pg_current_snapshot() as snapshot left join lateral (
				select position, published_at from idempotency_outbox where namespace = ? and position >= ?
				order by position limit 1) as first on true""");

	private final String failing = sql("""
			select id, destination, key, type, published_at, failures, retry_at, last_error from idempotency_outbox
			where namespace = ? and failures > 0 order by position limit ?""");

	private final String backlog = sql("""
			select destination, key, count(*) as events, max(failures) > 0 as refused, min(published_at) as oldest_at
			from (select destination, key, failures, published_at from idempotency_outbox
				where namespace = ? order by position limit ?) as first
			group by destination, key order by events desc, oldest_at, destination, key limit ?""");

	private final String retry = sql("""
			update idempotency_outbox set retry_at = clock_timestamp()
			where namespace = ? and id = ? and failures > 0""");

	private final String discard = sql(
			"delete from idempotency_outbox where namespace = ? and id = ? and failures > 0");

	private final JdbcTemplate jdbc;

	private final String namespace;

	OutboxTable(DataSource dataSource, TableNames names, String namespace) {
		super(names);
		this.jdbc = new JdbcTemplate(dataSource);
		this.namespace = namespace;
	}

	void stage(OutgoingEvent event, byte[] content) {
		Long lock = (event.key() != null) ? lock(event.destination(), event.key()) : null;
		this.jdbc.execute(this.stage, (PreparedStatementCallback<Boolean>) (statement) -> {
			statement.setObject(1, lock, Types.BIGINT);
			statement.setString(2, this.namespace);
			statement.setString(3, event.id());
			statement.setString(4, event.destination());
			statement.setString(5, event.key());
			statement.setString(6, event.type());
			statement.setBytes(7, content);
			return statement.execute();
		});
	}

	/**
	 * Two keys with the same number only wait for each other.
	 */
	private long lock(String destination, String key) {
		return ByteBuffer.wrap(DigestKeys.digest("outbox", this.namespace, destination, key)).getLong();
	}

	/**
	 * Claims the first events of as many keys, for the duration of the transaction.
	 * @param from the position before which there is no event
	 */
	List<ClaimedEvent> claim(long from, Collection<String> withoutDestinations, int limit) {
		this.jdbc.execute(SETTINGS);
		return this.jdbc.query(this.claim,
				(row, index) -> new ClaimedEvent(row.getLong("position"), row.getString("id"),
						row.getString("destination"), row.getString("key"), row.getString("type"),
						row.getBytes("content"), instant(row, "published_at"), seconds(row.getDouble("age")),
						row.getInt("failures")),
				this.namespace, from, withoutDestinations.toArray(String[]::new), this.namespace, from, limit);
	}

	void remove(Collection<Long> positions) {
		this.jdbc.update(this.remove, this.namespace, positions.toArray(Long[]::new));
	}

	void postpone(ClaimedEvent event, int failures, Duration delay, @Nullable String error) {
		this.jdbc.update(this.postpone, failures, delay.toNanos() / 1e9, error, this.namespace, event.position());
	}

	/**
	 * Describes the remaining events.
	 * @param from the position before which there is none
	 * @param id whether to assign an id to the current transaction
	 */
	ReadPosition.Rest rest(long from, boolean id) {
		return Objects.requireNonNull(this.jdbc.queryForObject(this.rest, (row, index) -> {
			Long first = row.getObject("first", Long.class);
			return new ReadPosition.Rest(first, row.getObject("last", Long.class), seconds(row.getDouble("age")),
					row.getLong("oldest_running"), row.getLong("new_transaction"));
		}, this.namespace, from, id, this.namespace, from));
	}

	List<FailingEvent> failing(int limit) {
		return this.jdbc.query(this.failing,
				(row, index) -> new FailingEvent(row.getString("id"), row.getString("destination"),
						row.getString("key"), row.getString("type"), instant(row, "published_at"),
						row.getInt("failures"), instant(row, "retry_at"), row.getString("last_error")),
				this.namespace, limit);
	}

	List<Backlog> backlog(int limit) {
		return this.jdbc.query(
				this.backlog, (row, index) -> new Backlog(row.getString("destination"), row.getString("key"),
						row.getInt("events"), row.getBoolean("refused"), instant(row, "oldest_at")),
				this.namespace, Outbox.COUNTED, limit);
	}

	boolean retry(String id) {
		return this.jdbc.update(this.retry, this.namespace, id) > 0;
	}

	boolean discard(String id) {
		return this.jdbc.update(this.discard, this.namespace, id) > 0;
	}

	private static Duration seconds(double seconds) {
		return Duration.ofNanos((long) (Math.max(seconds, 0) * 1e9));
	}

	private static Instant instant(ResultSet row, String column) throws SQLException {
		return row.getObject(column, OffsetDateTime.class).toInstant();
	}

}
