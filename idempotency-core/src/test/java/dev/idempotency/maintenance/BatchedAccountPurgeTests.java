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

package dev.idempotency.maintenance;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import dev.idempotency.account.Account;
import dev.idempotency.engine.ResponseCache;
import dev.idempotency.engine.TestEngine;
import dev.idempotency.engine.identity.DigestKeys;
import dev.idempotency.engine.identity.IdentityFactory;
import dev.idempotency.engine.identity.IdentityFactory.Kind;
import dev.idempotency.operator.AccountPurge;
import dev.idempotency.operator.AccountPurge.Result;
import dev.idempotency.operator.AccountPurge.Unfinished;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.EncodedResponse;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.Identity;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.LeaseRequest.LeaseLimits;
import dev.idempotency.store.StoredRecord;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The deletion of an account, in batches of two records.
 */
@ExtendWith(OutputCaptureExtension.class)
class BatchedAccountPurgeTests {

	private static final Account ALICE = Account.of("alice");

	private static final Account BOB = Account.of("bob");

	private final TestEngine test = new TestEngine();

	private final IdentityFactory identities = new IdentityFactory("test", IdentityFactory::defaultScopeName,
			DigestKeys.none());

	private final List<Identity> evicted = new ArrayList<>();

	private final AccountPurge purge = new BatchedAccountPurge(this.test.memory.operators("test"), this.identities,
			new ResponseCache() {

				@Override
				public void evict(Identity identity) {
					BatchedAccountPurgeTests.this.evicted.add(identity);
				}

			}, 2);

	private Identity identity(Account account, String key) {
		return this.identities.create("account", Kind.RESPONSE, account, key);
	}

	private Identity answered(Account account, String key) {
		Identity identity = identity(account, key);
		this.test.inTransaction(() -> {
			this.test.memory.acquire(identity);
			return this.test.memory.finish(new FinishedRecord(identity, "pay", new byte[32],
					new EncodedResponse(201, new byte[0]), Duration.ofHours(1)));
		});
		return identity;
	}

	private Identity unfinished(Account account, String key) {
		Identity identity = identity(account, key);
		this.test.memory
			.lease(new LeaseRequest(identity, "pay", new byte[32], null, TestEngine.LEASE, true, 3, LeaseLimits.NONE));
		return identity;
	}

	private void expire() {
		this.test.passTime(TestEngine.LEASE.plusSeconds(1));
	}

	@Test
	void allAnswersOfTheAccountAreDeletedAndEvictedAndNoOthers(CapturedOutput output) {
		List<Identity> deleted = List.of(answered(ALICE, "1"), answered(ALICE, "2"), answered(ALICE, "3"),
				answered(ALICE, "4"), answered(ALICE, "5"));
		Identity other = answered(BOB, "1");
		assertThat(this.purge.purge(ALICE, Unfinished.REFUSE)).isEqualTo(new Result(false, 5, 0, 0));
		assertThat(this.evicted).containsExactlyInAnyOrderElementsOf(deleted);
		assertThat(this.test.memory.probe(other)).isInstanceOf(StoredRecord.class);
		assertThat(deleted).allSatisfy(
				(identity) -> assertThat(this.test.memory.probe(identity)).isInstanceOf(ClaimResult.Acquired.class));
		assertThat(output).contains("[IDEM-1506] An account was purged [5 answers, 0 unfinished requests]")
			.containsPattern("The purge of an account is at \\d+ %")
			.doesNotContain("alice");
	}

	@Test
	void nothingIsDeletedWhileARequestIsUnfinishedUnlessThatIsAskedFor() {
		answered(ALICE, "1");
		unfinished(ALICE, "2");
		unfinished(BOB, "3");
		expire();
		assertThat(this.purge.purge(ALICE, Unfinished.REFUSE)).isEqualTo(new Result(true, 0, 0, 1));
		assertThat(this.evicted).isEmpty();
		assertThat(this.purge.purge(ALICE, Unfinished.DELETE)).isEqualTo(new Result(false, 1, 1, 0));
		assertThat(this.purge.purge(BOB, Unfinished.REFUSE)).isEqualTo(new Result(true, 0, 0, 1));
	}

	@Test
	void aRunningRequestStaysAndIsCounted() {
		answered(ALICE, "1");
		unfinished(ALICE, "2");
		assertThat(this.purge.purge(ALICE, Unfinished.DELETE)).isEqualTo(new Result(false, 1, 0, 1));
	}

}
