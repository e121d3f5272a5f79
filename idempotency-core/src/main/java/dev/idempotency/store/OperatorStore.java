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
package dev.idempotency.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * The part of the store for operators, in addition to {@link UnfinishedStore}. It is not
 * performance-critical. Each method is a separate transaction. All times are by the
 * database's clock.
 */
public interface OperatorStore {

	/**
	 * Counts records and requests, without reading the responses. This is cheap and
	 * bounded by the timeout of the store, so it also shows whether the store can be
	 * reached.
	 * @return the counts
	 */
	Overview overview();

	/**
	 * Looks a finished record up.
	 * @param identity its identity
	 * @return the record, empty if there is none or its time to live has passed
	 */
	Optional<KeptRecord> find(Identity identity);

	/**
	 * Lists the identities of responses and of unfinished requests whose digests are
	 * within a range, to look up the digits in a log line. Reads by primary key. Expired
	 * responses may be included.
	 * @param first the least digest, 32 bytes
	 * @param last the greatest digest, 32 bytes
	 * @param limit the maximum number
	 * @return the identities, in their order
	 */
	List<Identity> between(byte[] first, byte[] last, int limit);

	/**
	 * Counts the requests of an account that have no response.
	 * @param account the digest of the account
	 * @return the number of requests
	 */
	int countUnfinished(byte[] account);

	/**
	 * Deletes the requests of an account that have no response, except those under a
	 * lease, with committed effects, or with a step that was begun: a retry would make
	 * their effects twice.
	 * @param account the digest of the account
	 * @return the number of deleted requests
	 */
	int deleteUnfinished(byte[] account);

	/**
	 * Reads some records in the order of their identities, and deletes the records of an
	 * account among them.
	 * @param account the digest of the account
	 * @param after the last digest that was read, {@code null} for the start
	 * @param limit the number of records to read
	 * @return the result
	 */
	Sweep deleteFinished(byte[] account, byte @Nullable [] after, int limit);

	/**
	 * The result of reading a part of the records.
	 *
	 * @param deleted the identities of the deleted records
	 * @param last the last digest that was read, to continue from; {@code null} at the
	 * end
	 */
	record Sweep(List<Identity> deleted, byte @Nullable [] last) {

		/**
		 * Returns the part of all records that has been read. Digests are evenly
		 * distributed, so the last one shows it.
		 * @return a number from 0 to 1
		 */
		public double part() {
			return (this.last != null) ? ((this.last[0] & 0xff) * 256 + (this.last[1] & 0xff)) / 65536.0 : 1;
		}

	}

	/**
	 * Numbers of records and of unfinished requests. At most {@value #COUNTED} stuck
	 * requests and as many others are counted: that number means as many or more. The
	 * oldest request is determined among the counted and the stuck ones.
	 *
	 * @param records the approximate number of stored responses, as estimated by the
	 * database, including expired ones and the records of other applications that share
	 * the tables
	 * @param running the number of requests that are running under a lease
	 * @param waiting the number that may be tried again
	 * @param stuck the number that needs manual resolution
	 * @param oldest the oldest request without a response, {@code null} if there is none
	 */
	record Overview(long records, int running, int waiting, int stuck, @Nullable Oldest oldest) {

		/**
		 * Maximum number of stuck requests, and of other requests, that are counted.
		 */
		public static final int COUNTED = 10_000;

	}

	/**
	 * The oldest request without a response.
	 *
	 * @param age the time since it was first claimed
	 * @param operation the operation's name
	 */
	record Oldest(Duration age, String operation) {
	}

	/**
	 * A finished record that is alive, as operators see it.
	 *
	 * @param identity its identity
	 * @param operation the operation's name
	 * @param fingerprint the fingerprint of the request
	 * @param response the response
	 * @param finishedAt the time of its storage
	 * @param expiresAt the end of its time to live
	 */
	record KeptRecord(Identity identity, String operation, byte[] fingerprint, EncodedResponse response,
			Instant finishedAt, Instant expiresAt) {
	}

}
