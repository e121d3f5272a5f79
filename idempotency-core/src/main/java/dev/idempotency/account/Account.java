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
package dev.idempotency.account;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

import dev.idempotency.exception.AccountRequiredException;

/**
 * The owner of a key. Two accounts never see each other's records.
 *
 * @param tenant the tenant, empty in applications that have none
 * @param issuer the party that vouches for the id, such as the issuer of a token or a
 * login provider; empty for an application's own users
 * @param id the caller's stable identity within tenant and issuer, never a credential
 */
public record Account(String tenant, String issuer, String id) {

	/**
	 * The single account of an application that does not distinguish its callers.
	 */
	public static final Account SHARED = new Account("", "", "");

	public Account {
		Objects.requireNonNull(tenant, "tenant");
		Objects.requireNonNull(issuer, "issuer");
		Objects.requireNonNull(id, "id");
	}

	/**
	 * Creates an account in an application without tenants.
	 * @param id the caller's stable identity
	 * @return the account
	 * @throws AccountRequiredException if the id is {@code null} or empty; for a single
	 * account of all callers use {@link #SHARED}
	 */
	public static Account of(@Nullable String id) {
		return of("", id);
	}

	/**
	 * Creates an account within a tenant.
	 * @param tenant the tenant
	 * @param id the caller's stable identity within the tenant
	 * @return the account
	 * @throws AccountRequiredException if one of them is {@code null} or both are empty;
	 * for a single account of all callers use {@link #SHARED}
	 */
	public static Account of(@Nullable String tenant, @Nullable String id) {
		if (tenant == null || id == null || (tenant.isEmpty() && id.isEmpty())) {
			throw new AccountRequiredException("This operation requires a caller with a name.");
		}
		return new Account(tenant, "", id);
	}

	/**
	 * Returns this account with an issuer.
	 * @param other the issuer of a token or the name of a login provider
	 * @return a new account
	 */
	public Account withIssuer(String other) {
		return new Account(this.tenant, other, this.id);
	}

}
