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

package dev.idempotency.store.jdbc;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import dev.idempotency.store.Identity;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.LeaseRequest.LeaseLimits;
import dev.idempotency.store.jdbc.OpenRequests.Counted;

import static org.assertj.core.api.Assertions.assertThat;

class OpenRequestsTests {

	private static final int LIMIT = 1000;

	private static final LeaseRequest REQUEST = request(1);

	private final OpenRequests requests = new OpenRequests();

	private static LeaseRequest request(int account) {
		return new LeaseRequest(new Identity(new byte[32], new byte[] { (byte) account }), "pay", new byte[32], null,
				Duration.ofHours(1), false, 1, new LeaseLimits(LIMIT, 0));
	}

	private void counted(long number, long open) {
		this.requests.claimed(REQUEST, this.requests.of(REQUEST), number, open);
	}

	@Test
	void anAccountIsCountedFromItsFirstClaimOn() {
		assertThat(this.requests.of(REQUEST)).isEqualTo(OpenRequests.NOTHING);
	}

	@Test
	void aCountTakesThePlaceOfTheOneBeforeAfterSomeClaimsAndWithClaimsThatWereNotVisibleYet() {
		counted(1000, 3);
		Counted first = this.requests.of(REQUEST);
		assertThat(first.open()).as("with the claim itself").isEqualTo(4);
		assertThat(first.number()).isLessThan(1000);
		counted(1001, 5);
		assertThat(this.requests.of(REQUEST)).isEqualTo(first);
		counted(2000, 6);
		assertThat(this.requests.of(REQUEST).open()).isEqualTo(7);
		assertThat(this.requests.of(REQUEST).number()).isGreaterThan(1000).isLessThan(2000);
	}

	@Test
	void aCountOfAllTakesThePlaceOfASumImmediately() {
		counted(1000, 999);
		counted(1001, 2);
		assertThat(this.requests.of(REQUEST).open()).isEqualTo(3);
	}

	@Test
	void aSumThatWasMadeFromAnOlderCountDoesNotTakeThePlaceOfACountOfAll() {
		counted(1000, 990);
		Counted older = this.requests.of(REQUEST);
		counted(1300, 2);
		this.requests.claimed(REQUEST, older, 1301, 999L);
		assertThat(this.requests.of(REQUEST).open()).isEqualTo(3);
	}

	@Test
	void claimsOfARestoredDatabaseAreCountedFromTheBegin() {
		counted(1000, 3);
		counted(10, 0);
		assertThat(this.requests.of(REQUEST)).isEqualTo(OpenRequests.NOTHING);
	}

	@Test
	void theBoundIsTheFirstNumberWithWhichAllSinceTheCountReachTheLimit() {
		assertThat(OpenRequests.NOTHING.bound(LIMIT)).isEqualTo(LIMIT);
		counted(5000, 10);
		assertThat(this.requests.of(REQUEST).bound(LIMIT)).as("with this claim and those not visible yet")
			.isGreaterThan(5000)
			.isLessThan(5000 + LIMIT - 10);
	}

	@Test
	void withoutALimitThereIsNoBound() {
		assertThat(OpenRequests.NOTHING.bound(0)).isEqualTo(Long.MAX_VALUE);
	}

	@Test
	void aClaimWithoutACountChangesNothing() {
		counted(5000, 10);
		Counted known = this.requests.of(REQUEST);
		this.requests.claimed(REQUEST, known, 5900, null);
		assertThat(this.requests.of(REQUEST)).isEqualTo(known);
	}

	@Test
	void aClaimOfARestoredDatabaseForgetsTheCount() {
		counted(5000, 3);
		this.requests.claimed(REQUEST, this.requests.of(REQUEST), 10, null);
		assertThat(this.requests.of(REQUEST)).isEqualTo(OpenRequests.NOTHING);
	}

	@Test
	void otherAccountsAreCountedOnTheirOwn() {
		counted(1000, 3);
		assertThat(this.requests.of(request(2))).isEqualTo(OpenRequests.NOTHING);
	}

}
