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

import java.util.Objects;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Statistics of the library's tables so far.
 *
 * @param scans the sequential scans, which do not tell how many dead rows they have read
 * @param sequential the rows returned by sequential scans
 * @param byIndex the entries of indexes that were read, of dead rows as well
 * @param dead the dead rows, as the statistics estimate them
 * @param pages the pages of the tables that are empty most of the time
 */
public record TableReads(long scans, long sequential, long byIndex, long dead, long pages) {

	public static TableReads of(JdbcTemplate jdbc) {
		return Objects.requireNonNull(jdbc.queryForObject("""
				select
					(select sum(seq_scan) from pg_stat_user_tables where relname like 'idempotency%'),
					(select sum(seq_tup_read) from pg_stat_user_tables where relname like 'idempotency%'),
					(select sum(idx_tup_read) from pg_stat_user_indexes where relname like 'idempotency%'),
					(select sum(n_dead_tup) from pg_stat_user_tables where relname like 'idempotency%'),
					(select sum(pg_relation_size(oid)) / current_setting('block_size')::int from pg_class
						where relname in ('idempotency_lease', 'idempotency_job', 'idempotency_outbox'))""",
				(row, index) -> new TableReads(row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4),
						row.getLong(5))));
	}

}
