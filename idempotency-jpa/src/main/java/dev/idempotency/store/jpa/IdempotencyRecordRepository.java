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

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.springframework.data.domain.Limit;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;
import org.springframework.transaction.annotation.Transactional;

/**
 * A repository of the stored responses, for operators and for reports. Requests do not
 * use it: separate statements decide whether a request is executed.
 * <p>
 * Rows include answers that have expired and that the reaper has not deleted yet. Answers
 * are found fast by their id and by their time of expiry; other queries read the whole
 * table.
 */
@Transactional(readOnly = true)
public interface IdempotencyRecordRepository extends Repository<IdempotencyRecord, byte[]> {

	/**
	 * Finds a response.
	 * @param id the digest of its identity
	 * @return the response, which may have expired; empty if there is none
	 */
	Optional<IdempotencyRecord> findById(byte[] id);

	/**
	 * Finds a response that has not expired.
	 * @param id the digest of its identity
	 * @param now the time, by the clock of the database
	 * @return the response; empty if there is no live one
	 */
	Optional<IdempotencyRecord> findByIdAndExpiresAtAfter(byte[] id, Instant now);

	/**
	 * Lists the responses of an operation.
	 * @param operation the operation's name
	 * @param limit the greatest number of responses
	 * @return the responses, the latest first
	 */
	List<IdempotencyRecord> findByOperationOrderByFinishedAtDesc(String operation, Limit limit);

	/**
	 * Lists the responses of an account.
	 * @param account the digest of the account
	 * @param limit the greatest number of responses
	 * @return the responses, the latest first
	 */
	List<IdempotencyRecord> findByAccountOrderByFinishedAtDesc(byte[] account, Limit limit);

	/**
	 * Counts all responses. The actuator's endpoint shows an estimate, which reads no
	 * table.
	 * @return the number of rows
	 */
	long count();

	/**
	 * Counts the responses of an operation.
	 * @param operation the operation's name
	 * @return the number of rows
	 */
	long countByOperation(String operation);

	/**
	 * Counts the responses that have expired and wait for the reaper.
	 * @param now the time, by the clock of the database
	 * @return the number of rows
	 */
	long countByExpiresAtLessThanEqual(Instant now);

	/**
	 * Deletes the responses of an operation: a retry of its requests executes them again.
	 * @param operation the operation's name
	 * @return the number of deleted rows
	 */
	@Modifying
	@Transactional
	@Query("delete from IdempotencyRecord r where r.operation = ?1")
	int deleteByOperation(String operation);

}
