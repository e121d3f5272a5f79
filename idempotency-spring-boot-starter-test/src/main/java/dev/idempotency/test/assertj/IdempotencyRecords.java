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
package dev.idempotency.test.assertj;

import java.util.Optional;
import java.util.stream.Stream;

import org.assertj.core.api.AssertDelegateTarget;
import org.jspecify.annotations.Nullable;

import dev.idempotency.account.Account;
import dev.idempotency.account.AccountResolver;
import dev.idempotency.engine.identity.IdentityFactory;
import dev.idempotency.engine.identity.IdentityFactory.Kind;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.OperatorStore.KeptRecord;

/**
 * The stored responses, found by their keys. Tests have a bean of this type:
 *
 * <pre>
 * assertThat(records.of("alice")).hasRecordFor(key).withStatus(201);
 * assertThat(records.of("alice")).hasNoRecordFor(otherKey);
 * </pre>
 *
 * Keys belong to an account and a scope. Without {@link #of} the account is the one that
 * the {@link AccountResolver} returns on the thread of the test (where MockMvc has
 * removed the principal after the request), and without {@link #inEndpoint},
 * {@link #inResource} or {@link #inScope} the scope is {@code account}, the default of
 * {@code idempotency.scope}.
 */
public final class IdempotencyRecords implements AssertDelegateTarget {

	private final OperatorStore store;

	private final IdentityFactory identities;

	private final AccountResolver accounts;

	private final @Nullable Account account;

	private final String scope;

	private IdempotencyRecords(OperatorStore store, IdentityFactory identities, AccountResolver accounts,
			@Nullable Account account, String scope) {
		this.store = store;
		this.identities = identities;
		this.accounts = accounts;
		this.account = account;
		this.scope = scope;
	}

	/**
	 * The records of a store.
	 * @param store the store
	 * @param identities the application's factory of identities
	 * @param accounts resolves the caller
	 * @return the records
	 */
	public static IdempotencyRecords in(OperatorStore store, IdentityFactory identities, AccountResolver accounts) {
		return new IdempotencyRecords(store, identities, accounts, null, "account");
	}

	/**
	 * The records of an account.
	 * @param id the caller's id in the account; with Spring Security the name of the
	 * principal
	 * @return these records
	 */
	public IdempotencyRecords of(String id) {
		return of(Account.of(id));
	}

	/**
	 * The records of an account.
	 * @param owner the account
	 * @return these records
	 */
	public IdempotencyRecords of(Account owner) {
		return new IdempotencyRecords(this.store, this.identities, this.accounts, owner, this.scope);
	}

	/**
	 * The records of an endpoint with the scope {@code endpoint}.
	 * @param operation the operation's name, such as {@code POST /orders}
	 * @return these records
	 */
	public IdempotencyRecords inEndpoint(String operation) {
		return inScope("endpoint:" + operation);
	}

	/**
	 * The records of a resource type, of endpoints with the scope {@code resource}.
	 * @param resource the resource type
	 * @return these records
	 */
	public IdempotencyRecords inResource(String resource) {
		return inScope("resource:" + resource);
	}

	/**
	 * The records of a custom scope.
	 * @param name the name that its {@link dev.idempotency.ScopeResolver} returns
	 * @return these records
	 */
	public IdempotencyRecords inScope(String name) {
		return new IdempotencyRecords(this.store, this.identities, this.accounts, this.account, name);
	}

	/**
	 * Finds a record: the response to a request, or the return value of a bean.
	 * @param key the key's value, without quotes
	 * @return the record, empty if there is none or its time to live has passed
	 */
	public Optional<KeptRecord> find(String key) {
		return Stream.of(Kind.values())
			.map((kind) -> this.identities.create(this.scope, kind, account(), key))
			.flatMap((identity) -> this.store.find(identity).stream())
			.findFirst();
	}

	Account account() {
		if (this.account != null) {
			return this.account;
		}
		Account current = this.accounts.resolve();
		return (current != null) ? current : Account.SHARED;
	}

	/**
	 * Requires that a response is stored.
	 * @param key the key's value, without quotes
	 * @return assertions on the response
	 */
	public KeptRecordAssert hasRecordFor(String key) {
		Optional<KeptRecord> found = find(key);
		if (found.isEmpty()) {
			throw new AssertionError(
					"Expected " + this + " to have a record for the key '" + key + "', but there is none");
		}
		return new KeptRecordAssert(found.get()).as("the record for the key '%s'", key);
	}

	/**
	 * Requires that no response is stored.
	 * @param key the key's value, without quotes
	 * @return this
	 */
	public IdempotencyRecords hasNoRecordFor(String key) {
		Optional<KeptRecord> found = find(key);
		if (found.isPresent()) {
			throw new AssertionError(
					"Expected " + this + " to have no record for the key '" + key + "', but there is one of "
							+ found.get().operation() + " with status " + found.get().response().status());
		}
		return this;
	}

	@Override
	public String toString() {
		return "the records of " + account() + " in scope '" + this.scope + "'";
	}

}
