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
package dev.idempotency.engine.identity;

import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import dev.idempotency.account.Account;
import dev.idempotency.account.AnonymousAccess;
import dev.idempotency.account.Sender;
import dev.idempotency.exception.AccountRequiredException;
import dev.idempotency.exception.MalformedKeyException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The account that a key belongs to.
 */
@ExtendWith(OutputCaptureExtension.class)
class CallerAccountsTests {

	private static final Account ALICE = new Account("", "", "alice");

	private static CallerAccounts accounts(@Nullable Account caller, String tenant, AnonymousAccess anonymous,
			boolean inRequest) {
		return new CallerAccounts(() -> caller, () -> Optional.of(() -> tenant), Sender::of, anonymous, () -> inRequest,
				16);
	}

	@Test
	void aCallerHasItsAccountInItsTenant() {
		assertThat(accounts(ALICE, "", AnonymousAccess.REJECT, true).requireCaller("key")).isEqualTo(ALICE);
		assertThat(accounts(ALICE, "blue", AnonymousAccess.REJECT, true).requireCaller(null))
			.isEqualTo(new Account("blue", "", "alice"));
		Account own = new Account("green", "", "alice");
		assertThat(accounts(own, "blue", AnonymousAccess.REJECT, true).requireCurrent()).isEqualTo(own);
	}

	@Test
	void anAnonymousCallerIsRefusedOrSharesOneAccount() {
		assertThatExceptionOfType(AccountRequiredException.class)
			.isThrownBy(() -> accounts(null, "", AnonymousAccess.REJECT, true).requireCaller("key"));
		CallerAccounts shared = accounts(null, "blue", AnonymousAccess.SHARE, true);
		assertThat(shared.requireCaller("0123456789abcdef")).isEqualTo(shared.requireCurrent());
		assertThat(shared.requireCaller(null).tenant()).isEqualTo("blue");
	}

	@Test
	void theKeyOfAnAnonymousCallerIsHardToGuess() {
		assertThatExceptionOfType(MalformedKeyException.class)
			.isThrownBy(() -> accounts(null, "", AnonymousAccess.SHARE, true).requireCaller("0123456789abcde"))
			.withMessageContaining("at least 16 characters");
	}

	@Test
	void aServiceOnAThreadWithoutACallerIsTheApplicationItself() {
		assertThat(accounts(null, "", AnonymousAccess.REJECT, false).requireCurrent()).isEqualTo(Account.SHARED);
		assertThatExceptionOfType(AccountRequiredException.class)
			.isThrownBy(() -> accounts(null, "", AnonymousAccess.REJECT, true).requireCurrent());
		assertThat(accounts(null, "", AnonymousAccess.REJECT, false).find()).isNull();
	}

	@Test
	void theLogSaysOnceHowAnonymousCallersAreAdmitted(CapturedOutput output) {
		CallerAccounts accounts = accounts(null, "", AnonymousAccess.REJECT, true);
		for (int i = 0; i < 3; i++) {
			assertThatExceptionOfType(AccountRequiredException.class).isThrownBy(() -> accounts.requireCaller("key"));
		}
		assertThat(output.getAll().split("set idempotency.anonymous=share", -1)).hasSize(2);
	}

}
