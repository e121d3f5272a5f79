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
package dev.idempotency.storecontract;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.EncodedResponse;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.Identity;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.LeaseRequest.LeaseLimits;
import dev.idempotency.store.LeaseStore;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.StoredRecord;
import dev.idempotency.store.UnfinishedStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The common part of the contract's classes.
 */
abstract class StoreContract {

	static final Duration HOUR = Duration.ofHours(1);

	static final int MANY_ATTEMPTS = 1000;

	static final byte[] FINGERPRINT = { 1, 0, -1 };

	static final byte[] COMMAND = { 7, 0, -7 };

	static final byte[] ACCOUNT = { 2 };

	private static final Random RANDOM = new SecureRandom();

	/**
	 * The enclosing class, which has the harness.
	 */
	@SuppressWarnings("NullAway.Init")
	private StoreContractTests tests;

	@RegisterExtension
	final BeforeEachCallback around = (context) -> this.tests = context.getRequiredTestInstances()
		.findInstance(StoreContractTests.class)
		.orElseThrow();

	@BeforeEach
	void clear() {
		harness().clear();
	}

	StoreHarness harness() {
		return this.tests.harness();
	}

	IdempotencyStore store() {
		return harness().store();
	}

	UnfinishedStore unfinished() {
		return harness().unfinished(StoreHarness.NAMESPACE);
	}

	OperatorStore operators() {
		return harness().operators(StoreHarness.NAMESPACE);
	}

	void passTime(Duration time) {
		harness().passTime(time);
	}

	static Identity identity() {
		return identity(ACCOUNT);
	}

	static Identity identity(byte[] account) {
		byte[] digest = new byte[32];
		RANDOM.nextBytes(digest);
		return new Identity(digest, account);
	}

	static EncodedResponse answer(String text) {
		return new EncodedResponse(201, text.getBytes(StandardCharsets.UTF_8));
	}

	static FinishedRecord finished(Identity identity, String text) {
		return new FinishedRecord(identity, "POST /test", FINGERPRINT, answer(text), HOUR);
	}

	static LeaseRequest request(Identity identity) {
		return request(identity, HOUR);
	}

	static LeaseRequest request(Identity identity, Duration duration) {
		return new LeaseRequest(identity, "POST /test", FINGERPRINT, COMMAND, duration, true, MANY_ATTEMPTS,
				LeaseLimits.NONE);
	}

	/**
	 * Executes a request and stores its answer, in a separate transaction.
	 */
	void execute(FinishedRecord finished) {
		inTransaction(() -> {
			store().acquire(finished.identity());
			return store().finish(finished);
		});
	}

	/**
	 * Claims an identity in a separate transaction, which is rolled back.
	 */
	ClaimResult acquire(Identity identity) {
		return rolledBack(() -> store().acquire(identity));
	}

	/**
	 * Returns the record of an identity, as a claim finds it.
	 */
	StoredRecord recordOf(Identity identity) {
		return found(acquire(identity));
	}

	static StoredRecord found(ClaimResult attempt) {
		return expect(StoredRecord.class, attempt);
	}

	static <T extends ClaimResult> T expect(Class<T> type, ClaimResult attempt) {
		assertThat(attempt).isInstanceOf(type);
		return type.cast(attempt);
	}

	/**
	 * Returns the results of all methods of the store that look up an identity.
	 */
	List<ClaimResult> attempts(Identity identity) {
		List<ClaimResult> attempts = new ArrayList<>(List.of(acquire(identity), store().probe(identity)));
		if (store() instanceof LeaseStore leases) {
			attempts.add(leases.lease(request(identity)));
		}
		return attempts;
	}

	/**
	 * Requires that the last call of a transaction is refused immediately, or fails with
	 * the commit.
	 * @return whether it was the commit
	 */
	boolean isRefusedByTheCommit(Class<? extends Throwable> reason, BooleanSupplier last) {
		try {
			assertThat(inTransaction(last::getAsBoolean)).isFalse();
			return false;
		}
		catch (RuntimeException ex) {
			assertThat(Stream.<Throwable>iterate(ex, Objects::nonNull, Throwable::getCause))
				.hasAtLeastOneElementOfType(reason);
			return true;
		}
	}

	<T> T inTransaction(Supplier<T> work) {
		return Objects.requireNonNull(transactions().execute((status) -> work.get()));
	}

	<T> T rolledBack(Supplier<T> work) {
		return Objects.requireNonNull(transactions().execute((status) -> {
			status.setRollbackOnly();
			return work.get();
		}));
	}

	private TransactionTemplate transactions() {
		TransactionTemplate transactions = new TransactionTemplate(harness().transactionManager());
		transactions.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
		return transactions;
	}

}
