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
package dev.idempotency.conformance.lease;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.EncodedResponse;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.LeaseRequest.LeaseLimits;
import dev.idempotency.store.LeaseStore;
import dev.idempotency.store.StoredRecord;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A claim that waits for the owner's finish, at each isolation that a pool may have.
 */
@Tag("postgresql")
@Tag("X21")
class LeaseClaimTests {

	private static final byte[] FINGERPRINT = { 1 };

	@ParameterizedTest
	@ValueSource(strings = { "READ_COMMITTED", "REPEATABLE_READ", "SERIALIZABLE" })
	void aClaimThatWaitsForTheFinishFindsTheRecordAndLeavesNoLease(String isolation) {
		try (RunningApplication application = RunningApplication.start(List.of(),
				"spring.datasource.hikari.transaction-isolation=TRANSACTION_" + isolation,
				"idempotency.completer.enabled=false", "idempotency.reaper.enabled=false")) {
			LeaseStore store = application.context().getBean(LeaseStore.class);
			TransactionTemplate transactions = new TransactionTemplate(
					application.context().getBean(PlatformTransactionManager.class));
			transactions.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
			for (int i = 0; i < 5; i++) {
				byte[] digest = new byte[32];
				digest[0] = (byte) i;
				Identity identity = new Identity(digest, new byte[] { 2 });
				Lease owner = ((ClaimResult.Leased) store.lease(request(identity, Duration.ZERO))).lease();
				CompletableFuture<ClaimResult> duplicate = transactions.execute((status) -> {
					assertThat(store.finish(owner, new FinishedRecord(identity, "POST /test", FINGERPRINT,
							new EncodedResponse(200, null), Duration.ofHours(1))))
						.isTrue();
					CompletableFuture<ClaimResult> started = Parallel
						.start(() -> store.lease(request(identity, Duration.ofHours(1))));
					await().until(() -> started.isDone() || isSomebodyWaiting(application));
					return started;
				});
				assertThat(duplicate.join()).isInstanceOf(StoredRecord.class);
				assertThat(application.jdbc().queryForList("select fence from idempotency_lease where namespace <> ''"))
					.isEmpty();
			}
		}
	}

	private static LeaseRequest request(Identity identity, Duration duration) {
		return new LeaseRequest(identity, "POST /test", FINGERPRINT, new byte[] { 7 }, duration, true, 1000,
				LeaseLimits.NONE);
	}

	private static boolean isSomebodyWaiting(RunningApplication application) {
		return Boolean.TRUE
			.equals(Parallel
				.start(() -> application.jdbc()
					.queryForObject("select count(*) > 0 from pg_stat_activity "
							+ "where datname = current_database() and wait_event_type = 'Lock'", Boolean.class))
				.join());
	}

}
