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
package dev.idempotency;

import java.util.Objects;

/**
 * Who owns a key. Two accounts never see each other's records.
 *
 * @param tenant the tenant, empty in applications that have none
 * @param id the caller's stable identity within the tenant, never a credential
 */
public record Account(String tenant, String id) {

	/**
	 * The one account of an application that does not tell its callers apart.
	 */
	public static final Account SHARED = new Account("", "");

	public Account {
		Objects.requireNonNull(tenant, "tenant");
		Objects.requireNonNull(id, "id");
	}

	/**
	 * An account of an application without tenants.
	 * @param id the caller's stable identity
	 * @return the account
	 */
	public static Account of(String id) {
		return new Account("", id);
	}

	/**
	 * An account within a tenant.
	 * @param tenant the tenant
	 * @param id the caller's stable identity within the tenant
	 * @return the account
	 */
	public static Account of(String tenant, String id) {
		return new Account(tenant, id);
	}

}
