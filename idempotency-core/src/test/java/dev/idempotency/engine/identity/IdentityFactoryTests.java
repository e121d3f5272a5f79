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

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Replay;
import dev.idempotency.Idempotent.Scope;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.account.Account;
import dev.idempotency.engine.identity.IdentityFactory.Kind;
import dev.idempotency.exception.MalformedKeyException;
import dev.idempotency.store.Identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class IdentityFactoryTests {

	private static Identity identity(String namespace, Account account, Scope scope, String name, String key) {
		IdempotentOperation operation = new IdempotentOperation(name, null, scope, "payments", Duration.ofDays(1),
				Duration.ofDays(1), true, Mode.TRANSACTIONAL, Replay.FULL);
		return new IdentityFactory(namespace, IdentityFactory::defaultScopeName, DigestKeys.none()).create(operation,
				Kind.RESPONSE, account, key);
	}

	@Test
	@Tag("S5")
	void partsThatDifferOnlyInWhereTheyAreSplitAreDifferentIdentities() {
		Set<Identity> identities = new HashSet<>();
		String[][] splits = { { "a", "b", "c", "d" }, { "ab", "", "c", "d" }, { "", "ab", "c", "d" },
				{ "a", "bc", "", "d" }, { "a", "", "bc", "d" }, { "a", "b", "", "cd" }, { "a", "b", "cd", "" },
				{ "", "", "", "abcd" }, { "abcd", "", "", "" } };
		for (String[] parts : splits) {
			identities.add(identity(parts[0], new Account(parts[1], "", parts[2]), Scope.ACCOUNT, "op", parts[3]));
		}
		assertThat(identities).hasSize(splits.length);
	}

	@Test
	@Tag("S3")
	void theScopeDecidesWhatSharesAKey() {
		Account alice = Account.of("alice");
		assertThat(identity("app", alice, Scope.ACCOUNT, "one", "k"))
			.isEqualTo(identity("app", alice, Scope.ACCOUNT, "two", "k"));
		assertThat(identity("app", alice, Scope.ENDPOINT, "one", "k"))
			.isNotEqualTo(identity("app", alice, Scope.ENDPOINT, "two", "k"));
		assertThat(identity("app", alice, Scope.RESOURCE, "one", "k"))
			.isEqualTo(identity("app", alice, Scope.RESOURCE, "two", "k"))
			.isNotEqualTo(identity("app", alice, Scope.ACCOUNT, "one", "k"));
	}

	@Test
	@Tag("P5")
	void theKeyOfAStepFollowsFromTheIdentityAndTheStepAlone() {
		Identity identity = identity("app", Account.of("alice"), Scope.ACCOUNT, "op", "k");
		Identity fromTheRow = new Identity(identity.digest(), new byte[16]);
		assertThat(IdentityFactory.derivedKey(fromTheRow, "charge"))
			.isEqualTo(IdentityFactory.derivedKey(identity, "charge"))
			.isNotEqualTo(IdentityFactory.derivedKey(identity, "book"))
			.matches("[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
	}

	@Test
	@Tag("K14")
	void keysAreTakenAsTheyAre() {
		Account alice = Account.of("alice");
		assertThat(identity("app", alice, Scope.ACCOUNT, "op", "key"))
			.isNotEqualTo(identity("app", alice, Scope.ACCOUNT, "op", "KEY"))
			.isNotEqualTo(identity("app", alice, Scope.ACCOUNT, "op", "key "));
	}

	@Test
	void aReturnValueIsNeverTakenForAResponse() {
		IdempotentOperation operation = new IdempotentOperation("op", null, Scope.ACCOUNT, "", Duration.ofDays(1),
				Duration.ofDays(1), true, Mode.TRANSACTIONAL, Replay.FULL);
		IdentityFactory factory = new IdentityFactory("app", IdentityFactory::defaultScopeName, DigestKeys.none());
		Identity response = factory.create(operation, Kind.RESPONSE, Account.SHARED, "k");
		Identity value = factory.create(operation, Kind.VALUE, Account.SHARED, "k");
		assertThat(value).isNotEqualTo(response);
		assertThat(value.account()).isEqualTo(response.account()).hasSize(16);
	}

	@Test
	void theDigestOfAnAccountIsThatOfAllItsIdentities() {
		IdentityFactory factory = new IdentityFactory("app", IdentityFactory::defaultScopeName, DigestKeys.none());
		Account account = Account.of("acme", "alice");
		assertThat(factory.create("account", Kind.RESPONSE, account, "k").account()).isEqualTo(factory.digest(account));
		assertThat(factory.create("endpoint:a", Kind.VALUE, account, "k").account()).isEqualTo(factory.digest(account));
		assertThat(factory.digest(Account.of("acm", "ealice"))).isNotEqualTo(factory.digest(account));
		assertThat(new IdentityFactory("other", IdentityFactory::defaultScopeName, DigestKeys.none()).digest(account))
			.isNotEqualTo(factory.digest(account));
	}

	@Test
	void theIssuerIsAPartOfAnIdentityAndOfItsAccount() {
		IdentityFactory factory = new IdentityFactory("app", IdentityFactory::defaultScopeName, DigestKeys.none());
		List<Account> accounts = List.of(Account.of("alice"), Account.of("alice").withIssuer("one"),
				Account.of("alice").withIssuer("two"), new Account("", "alice", "one"));
		assertThat(accounts).extracting((account) -> factory.create("account", Kind.VALUE, account, "k"))
			.doesNotHaveDuplicates();
		assertThat(accounts).extracting((account) -> HexFormat.of().formatHex(factory.digest(account)))
			.doesNotHaveDuplicates();
	}

	/**
	 * Stored digests stay valid.
	 */
	@Test
	void anAccountWithoutAnIssuerHasOnePartLess() {
		IdentityFactory factory = new IdentityFactory("app", IdentityFactory::defaultScopeName, DigestKeys.none());
		assertThat(factory.create("account", Kind.VALUE, Account.of("acme", "alice"), "k").digest())
			.isEqualTo(DigestKeys.digest("app", "acme", "alice", "VALUE", "account", "k"));
		assertThat(factory.digest(Account.of("acme", "alice")))
			.isEqualTo(Arrays.copyOf(DigestKeys.digest("app", "acme", "alice"), 16));
	}

	/**
	 * Calculated by the first version that stored them: nodes of two versions share a
	 * table, and records outlive a release.
	 */
	@ParameterizedTest
	@CsvSource({ "false, 63c3517f5f59356a8fa181cfdc1903c761065d5dd06bb830b2d31cbf652966a5",
			"true, 7d38b825945ab9a124a8cb07d6c19751cf298b14960d821c13a1c0dde4f50829" })
	void whatIsStoredKeepsItsBytes(boolean keyed, String expected) {
		DigestKeys keys = keyed ? DigestKeys.of(bytes("secret"), List.of(bytes("current"), bytes("earlier")))
				: DigestKeys.none();
		IdentityFactory factory = new IdentityFactory("app", IdentityFactory::defaultScopeName, keys);
		IdempotentOperation operation = new IdempotentOperation("POST /pay-\u00e9", null, Scope.ENDPOINT, "",
				Duration.ofDays(1), Duration.ofDays(1), true, Mode.TRANSACTIONAL, Replay.FULL);
		MessageDigest stored = DigestKeys.sha256();
		for (Account account : List.of(Account.SHARED, Account.of("acme", "b\u00f6b"),
				Account.of("bob\ud800").withIssuer("https://issuer"))) {
			for (Kind kind : Kind.values()) {
				Identity identity = factory.create(operation, kind, account, "k-\ud83d\ude00");
				stored.update(identity.digest());
				stored.update(identity.account());
				stored.update(factory.fingerprint(identity, operation, bytes("content")).bytes());
				stored.update(factory.fingerprint(identity, operation, bytes("sent"), () -> bytes("meaning")).bytes());
			}
		}
		stored.update(keys.check("app"));
		stored.update(bytes(keys.user("alice", "{noop}secret")));
		stored.update(bytes(IdentityFactory.derivedKey(new Identity(new byte[32], new byte[16]), "charge")));
		assertThat(HexFormat.of().formatHex(stored.digest())).isEqualTo(expected);
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	@Test
	@Tag("K14")
	void aKeyHasAtMost4096Characters() {
		Account alice = Account.of("alice");
		assertThat(identity("app", alice, Scope.ACCOUNT, "op", "k".repeat(4096))).isNotNull();
		assertThatExceptionOfType(MalformedKeyException.class)
			.isThrownBy(() -> identity("app", alice, Scope.ACCOUNT, "op", "k".repeat(4097)))
			.withMessageContaining("4096");
	}

}
