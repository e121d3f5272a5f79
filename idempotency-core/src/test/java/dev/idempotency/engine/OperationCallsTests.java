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
package dev.idempotency.engine;

import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import dev.idempotency.IdempotencyRequest;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Scope;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.account.Account;
import dev.idempotency.account.AnonymousAccess;
import dev.idempotency.account.Sender;
import dev.idempotency.engine.ClaimRequest.EffectCommits;
import dev.idempotency.engine.identity.CallerAccounts;
import dev.idempotency.engine.identity.CallerAccounts.TenantSource;
import dev.idempotency.engine.identity.DigestKeys;
import dev.idempotency.engine.identity.IdentityFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The content of a request over changes of the classes that hold it.
 */
@Tag("M1")
class OperationCallsTests {

	private static final Account CALLER = Account.of("alice");

	private final OperationCalls calls = new OperationCalls(
			new IdentityFactory("test", IdentityFactory::defaultScopeName, DigestKeys.none()),
			new CallerAccounts(() -> CALLER, TenantSource.NONE, Sender::of, AnonymousAccess.SHARE, () -> false, 1),
			new OperationFactory.Defaults(Scope.ACCOUNT, Mode.TRANSACTIONAL, true, Duration.ofHours(1), null),
			JsonMapper.shared());

	@Test
	void newFieldWithoutAValueChangesNothing() {
		assertThat(isSame(new Payment("1", 5), new PaymentWithNote("1", 5, null, Optional.empty()))).isTrue();
		assertThat(isSame(new Payment("1", 5), new PaymentWithNote("1", 5, "gift", Optional.empty()))).isFalse();
		assertThat(isSame(new Payment("1", 5), new PaymentWithNote("1", 5, null, Optional.of("gift")))).isFalse();
	}

	@Test
	void newArgumentWithoutAValueChangesNothing() {
		assertThat(isSame(List.of("a", 5), Arrays.asList("a", 5, null, Optional.empty()))).isTrue();
		assertThat(isSame(List.of("a", 5), Arrays.asList("a", 5, "b"))).isFalse();
		assertThat(isSame(Arrays.asList("a", null, 5), List.of("a", 5))).isFalse();
	}

	@Test
	void nestedFieldWithoutAValueChangesNothing() {
		assertThat(isSame(Map.of("payments", List.of(new Payment("1", 5))),
				Map.of("payments", List.of(new PaymentWithNote("1", 5, null, Optional.empty())))))
			.isTrue();
	}

	@Test
	void bytesAreNoText() {
		assertThat(isSame(new byte[] { '"', 'a', '"' }, "a")).isFalse();
		assertThat(isSame(new byte[] { 1 }, new byte[] { 1 })).isTrue();
		assertThat(isSame(new byte[0], List.of())).isFalse();
	}

	@Test
	void bytesAreComparedByTheirValues() {
		assertThat(isSame(new byte[] { 1 }, new byte[] { 2 })).isFalse();
		assertThat(isSame(new byte[] { 2, '"', 'a', '"' }, "a")).isFalse();
	}

	@Test
	void theRequestSaysItsTimeToLiveAndItsScopeOrHasTheDefault() {
		IdempotencyRequest request = IdempotencyRequest.of("pay", "key");
		IdempotentOperation plain = this.calls.create(request, EffectCommits.ONCE).operation();
		assertThat(plain.ttl()).isEqualTo(Duration.ofHours(1));
		assertThat(plain.scope()).isEqualTo(Scope.ACCOUNT);
		IdempotentOperation own = this.calls
			.create(request.withTtl(Duration.ofDays(7)).withScope(Scope.ENDPOINT), EffectCommits.ONCE)
			.operation();
		assertThat(own.ttl()).isEqualTo(Duration.ofDays(7));
		assertThat(own.scope()).isEqualTo(Scope.ENDPOINT);
	}

	@Test
	void theAccountIsThatOfTheRequestOrOfTheCaller() {
		IdempotencyRequest request = IdempotencyRequest.of("pay", "key");
		assertThat(this.calls.account(request)).isEqualTo(CALLER);
		assertThat(this.calls.account(request.withAccount(Account.of("bob")))).isEqualTo(Account.of("bob"));
	}

	private boolean isSame(Object one, Object other) {
		return create(one).equals(create(other));
	}

	private String create(Object content) {
		IdempotencyRequest request = IdempotencyRequest.of("pay", "key")
			.withContent(content)
			.withAccount(Account.SHARED);
		return HexFormat.of().formatHex(this.calls.create(request, EffectCommits.ONCE).fingerprint().bytes());
	}

	record Payment(String id, long cents) {
	}

	@JsonInclude(JsonInclude.Include.ALWAYS)
	record PaymentWithNote(String id, long cents, @Nullable String note, Optional<String> voucher) {
	}

}
