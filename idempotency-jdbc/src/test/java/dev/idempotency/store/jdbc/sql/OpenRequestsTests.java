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

package dev.idempotency.store.jdbc.sql;

import org.junit.jupiter.api.Test;

import dev.idempotency.store.jdbc.sql.OpenRequests.Counted;

import static org.assertj.core.api.Assertions.assertThat;

class OpenRequestsTests {

	private static final byte[] ACCOUNT = { 1 };

	private final OpenRequests requests = new OpenRequests();

	private void counted(long fence, long open) {
		this.requests.counted(ACCOUNT, this.requests.of(ACCOUNT), fence, open);
	}

	@Test
	void anAccountIsCountedFromItsFirstClaimOn() {
		assertThat(this.requests.of(ACCOUNT)).isEqualTo(OpenRequests.NOTHING);
	}

	@Test
	void aCountTakesThePlaceOfTheOneBeforeAfterSomeFencesAndWithClaimsThatWereNotVisibleYet() {
		counted(1000, 3);
		Counted first = this.requests.of(ACCOUNT);
		assertThat(first.open()).as("with the claim itself").isEqualTo(4);
		assertThat(first.fence()).isLessThan(1000);
		counted(1001, 5);
		assertThat(this.requests.of(ACCOUNT)).isEqualTo(first);
		counted(2000, 6);
		assertThat(this.requests.of(ACCOUNT).open()).isEqualTo(7);
		assertThat(this.requests.of(ACCOUNT).fence()).isGreaterThan(1000).isLessThan(2000);
	}

	@Test
	void aCountOfAllTakesThePlaceOfASumImmediately() {
		counted(1000, 999);
		counted(1001, 2);
		assertThat(this.requests.of(ACCOUNT).open()).isEqualTo(3);
	}

	@Test
	void aSumThatWasMadeFromAnOlderCountDoesNotTakeThePlaceOfACountOfAll() {
		counted(1000, 990);
		Counted older = this.requests.of(ACCOUNT);
		counted(1300, 2);
		this.requests.counted(ACCOUNT, older, 1301, 999);
		assertThat(this.requests.of(ACCOUNT).open()).isEqualTo(3);
	}

	@Test
	void fencesOfARestoredDatabaseAreCountedFromTheBegin() {
		counted(1000, 3);
		counted(10, 0);
		assertThat(this.requests.of(ACCOUNT)).isEqualTo(OpenRequests.NOTHING);
	}

	@Test
	void otherAccountsAreCountedOnTheirOwn() {
		counted(1000, 3);
		assertThat(this.requests.of(new byte[] { 2 })).isEqualTo(OpenRequests.NOTHING);
	}

}
