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

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import dev.idempotency.store.HistoryText;
import dev.idempotency.store.jdbc.sql.Jdbc;

/**
 * The parts of the statements that differ between databases.
 *
 * @param now the time by which records live, which must not be that of the transaction's
 * begin
 * @param life sets when a record was finished, which is now, and when it expires, which
 * is exactly so many microseconds later as its parameter says
 * @param epoch the begin of 1970
 * @param share reads under the lock that the transaction has
 * @param nextFence the statement that makes a fence
 * @param records an expression for about how many records there are
 * @param written the statements that were written, by the text that they were written
 * from
 */
record Syntax(String now, String life, String epoch, String share, String nextFence, String records,
		Map<String, String> written) {

	/**
	 * Appends an entry to the life of a request, in the statement that makes it.
	 */
	private static final String HISTORY = "history = right(concat(history, timestampdiff(microsecond, :epoch, :now), ?), "
			+ HistoryText.MAX_LENGTH + ")";

	Syntax(String now, String life, String epoch, String share, String nextFence, String records) {
		this(now, life, epoch, share, nextFence, records, new ConcurrentHashMap<>());
	}

	/**
	 * Returns the statements of this database on a connection.
	 */
	Jdbc on(Connection connection) {
		return new Jdbc(connection, this::in);
	}

	/**
	 * Returns a statement for this database.
	 */
	String in(String sql) {
		return this.written.computeIfAbsent(sql, this::write);
	}

	private String write(String sql) {
		return sql.replace(":life", this.life)
			.replace(":history", HISTORY)
			.replace(":now", this.now)
			.replace(":epoch", this.epoch)
			.replace(":share", this.share)
			.replace(":records", this.records);
	}

	static long micros(Duration duration) {
		return duration.toNanos() / 1000;
	}

	static Instant instant(long micros) {
		return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
	}

}
