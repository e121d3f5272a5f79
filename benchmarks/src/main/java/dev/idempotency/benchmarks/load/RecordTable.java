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

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.JdbcTemplate;

import dev.idempotency.benchmarks.app.MeasuredApplication;
import dev.idempotency.benchmarks.app.PaymentController;
import dev.idempotency.web.fingerprint.CanonicalFingerprint;
import dev.idempotency.web.fingerprint.FingerprintSource;

/**
 * Fills the table of records from inside the database, with copies of a record that a
 * real request has left: same request, same answer, other keys.
 */
public final class RecordTable {

	private static final long FIRST_EXPIRED = 1_000_000_000_000L;

	private final JdbcTemplate jdbc;

	public RecordTable(JdbcTemplate jdbc) {
		this.jdbc = jdbc;
	}

	/**
	 * The key of a record.
	 */
	public static String key(long number) {
		return "record-" + number;
	}

	/**
	 * Adds the records from 1 to a number, in addition to that of {@link #key key 0}.
	 * Indexes are built afterwards, in one go. The records expire over the next day.
	 */
	public void fill(long records) {
		List<String> rebuild = this.jdbc.queryForList("""
				select 'alter table idempotency_record add constraint ' || conname || ' '
					|| pg_get_constraintdef(oid)
				from pg_constraint where conrelid = 'idempotency_record'::regclass and contype = 'p'
				union all
				select pg_get_indexdef(indexrelid)
				from pg_index where indrelid = 'idempotency_record'::regclass and not indisprimary""", String.class);
		List<String> drop = this.jdbc.queryForList("""
				select 'alter table idempotency_record drop constraint ' || conname
				from pg_constraint where conrelid = 'idempotency_record'::regclass and contype = 'p'
				union all
				select 'drop index ' || indexrelid::regclass
				from pg_index where indrelid = 'idempotency_record'::regclass and not indisprimary""", String.class);
		drop.forEach(this.jdbc::execute);
		insert(1, records - 1, "interval '1 day' * (0.1 + 0.9 * random())");
		rebuild.forEach(this.jdbc::execute);
		settle();
	}

	/**
	 * Adds expired records, in place of those that still exist.
	 */
	public void addExpired(int records, Expiry expiry) {
		this.jdbc.update("delete from idempotency_record where expires_at <= now()");
		long last = FIRST_EXPIRED + records - 1;
		insert(FIRST_EXPIRED, last, switch (expiry) {
			case AS_STORED -> "interval '-1 second' * (%d - n)".formatted(last + 1);
			case SHUFFLED -> "interval '-1 hour' * (0.1 + random())";
		});
		settle();
	}

	private void insert(long from, long to, String expiry) {
		this.jdbc.update("""
				insert into idempotency_record
					(id, account, operation, fingerprint, status, content, finished_at, expires_at)
				select keys.id, account, operation,
					'\\x02'::bytea || sha256('\\x00000020'::bytea || keys.id || int4send(octet_length(operation))
						|| convert_to(operation, 'UTF8') || int4send(octet_length(?::bytea)) || ?::bytea),
					status, content, finished_at, clock_timestamp() + %s
				from (select n, sha256(?::bytea || int4send(length('record-' || n)) || ('record-' || n)::bytea) as id
						from generate_series(?::bigint, ?::bigint) as n) as keys,
					(select * from idempotency_record where id = sha256(?::bytea || int4send(8) || 'record-0')) as model
				""".formatted(expiry), requestDigest(), requestDigest(), identityPrefix(), from, to, identityPrefix());
	}

	/**
	 * Returns the prefix of each key's identity, see
	 * {@link dev.idempotency.engine.identity.IdentityFactory}. Were it wrong, no request
	 * would be answered by these records, and the run would end with an error.
	 */
	private static byte[] identityPrefix() {
		ByteArrayOutputStream prefix = new ByteArrayOutputStream();
		for (String part : List.of(MeasuredApplication.NAME, "", Variant.ONE_ACCOUNT, "RESPONSE", "account")) {
			byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
			prefix.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array());
			prefix.writeBytes(bytes);
		}
		return prefix.toByteArray();
	}

	/**
	 * Parts of a fingerprint besides identity and operation, see
	 * {@link dev.idempotency.engine.identity.DigestKeys}.
	 */
	private static byte[] requestDigest() {
		try {
			return new CanonicalFingerprint(List.of(), List.of()).fingerprint(new ModelRequest());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * The request whose records these are.
	 */
	private static final class ModelRequest implements FingerprintSource {

		@Override
		public String method() {
			return "POST";
		}

		@Override
		public String path() {
			return PaymentController.PROTECTED;
		}

		@Override
		public @Nullable String query() {
			return null;
		}

		@Override
		public Map<String, List<String>> parameters() {
			return Map.of();
		}

		@Override
		public String contentType() {
			return Workload.PAYMENT.contentType();
		}

		@Override
		public List<String> headers(String name) {
			return List.of();
		}

		@Override
		public Body body() {
			return new Bytes(Workload.PAYMENT.body());
		}

	}

	/**
	 * Settles the database, so that no deferred work disturbs a measurement.
	 */
	private void settle() {
		this.jdbc.execute("vacuum (analyze) idempotency_record");
		this.jdbc.execute("checkpoint");
	}

	public String describe() {
		return String.valueOf(this.jdbc.queryForObject("""
				select count(*) || ' records, ' || pg_size_pretty(pg_table_size('idempotency_record'))
					|| ' and ' || pg_size_pretty(pg_indexes_size('idempotency_record')) || ' of indexes'
				from idempotency_record""", String.class));
	}

	/**
	 * The order in which records expire.
	 */
	public enum Expiry {

		/**
		 * The order of storage: one time to live for all of them, the usual case.
		 */
		AS_STORED,

		/**
		 * A random order, so that each record of a batch is on another page: the worst
		 * case, many times to live in a long-used table.
		 */
		SHUFFLED

	}

}
