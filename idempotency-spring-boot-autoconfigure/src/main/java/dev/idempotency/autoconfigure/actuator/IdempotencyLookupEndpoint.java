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
package dev.idempotency.autoconfigure.actuator;

import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

import dev.idempotency.ScopeResolver;
import dev.idempotency.account.Account;
import dev.idempotency.engine.OperationFactory;
import dev.idempotency.engine.identity.IdentityFactory;
import dev.idempotency.engine.identity.IdentityFactory.Kind;

/**
 * Looks up a request by its key. This changes nothing, but is a POST: access logs contain
 * the query of a GET, and must not contain keys. It is a separate endpoint because it
 * needs other access rights than the actions of {@link IdempotencyEndpoint}.
 */
@Endpoint(id = "idempotencylookup", defaultAccess = Access.UNRESTRICTED)
final class IdempotencyLookupEndpoint {

	private final RequestViews views;

	private final IdentityFactory identities;

	private final OperationFactory operations;

	private final ScopeResolver scopes;

	IdempotencyLookupEndpoint(RequestViews views, IdentityFactory identities, OperationFactory operations,
			ScopeResolver scopes) {
		this.views = views;
		this.identities = identities;
		this.operations = operations;
		this.scopes = scopes;
	}

	/**
	 * Looks up a request. The key is hashed, and neither stored nor returned.
	 * @param key the key, without the quotes of the header
	 * @param account the account's id; by default the id in an application that does not
	 * distinguish its callers
	 * @param tenant its tenant, empty by default
	 * @param operation the name of an operation, such as {@code POST /rides}, whose scope
	 * the key has
	 * @param scope instead of an operation the name of a scope: {@code account},
	 * {@code endpoint:<operation>}, {@code resource:<resource>}, or the name that a
	 * {@link ScopeResolver} returns. Without either, the key is looked up in the scopes
	 * of all operations
	 * @param issuer the issuer of its token or its login provider, empty by default
	 * @param operator the operator's call
	 * @return the request, or a list if the key exists in several scopes
	 */
	@WriteOperation
	public OperationResponseBody lookUp(String key, @Nullable String account, @Nullable String tenant,
			@Nullable String operation, @Nullable String scope, @Nullable String issuer, SecurityContext operator) {
		Account owner = new Account((tenant != null) ? tenant : "", (issuer != null) ? issuer : "",
				(account != null) ? account : "");
		OperationResponseBody found = this.views.findOneOf(
				scopes(operation, scope)
					.flatMap((name) -> Stream.of(Kind.RESPONSE, Kind.VALUE)
						.map((kind) -> this.identities.create(name, kind, owner, key)))
					.toList());
		OperatorCalls.shown(operator, found);
		return found;
	}

	private Stream<String> scopes(@Nullable String operation, @Nullable String scope) {
		if (operation != null && scope != null) {
			throw OperatorCalls.invalid(new IllegalArgumentException("Specify an operation or a scope, not both"));
		}
		if (scope != null) {
			return Stream.of(scope);
		}
		if (operation != null) {
			return Stream.of(this.operations.find(operation)
				.map(this.scopes::resolve)
				.orElseThrow(() -> OperatorCalls.invalid(new IllegalArgumentException("The operation is unknown"))));
		}
		// The scope of IdempotencyOperations, whose operations are unknown before they
		// run
		return Stream.concat(Stream.of("account"), this.operations.all().stream().map(this.scopes::resolve)).distinct();
	}

}
