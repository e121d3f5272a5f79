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

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

import dev.idempotency.autoconfigure.actuator.IdempotencyEndpoint.Done;
import dev.idempotency.operator.AccountPurge;
import dev.idempotency.operator.AccountPurge.Unfinished;

/**
 * Maps the result of an action to an HTTP status: 200 if it was done, 409 if it was not,
 * 404 if the id is unknown.
 */
@EndpointWebExtension(endpoint = IdempotencyEndpoint.class)
final class IdempotencyEndpointWebExtension {

	private static final int CONFLICT = 409;

	private final IdempotencyEndpoint endpoint;

	IdempotencyEndpointWebExtension(IdempotencyEndpoint endpoint) {
		this.endpoint = endpoint;
	}

	/**
	 * Acts as {@link IdempotencyEndpoint#act} does.
	 * @param id the id of the request
	 * @param action {@code retry} or {@code abandon}
	 * @param status the status of the answer
	 * @param contentType its media type
	 * @param body its body
	 * @param version the version of the request that the operator has decided on
	 * @param operator the operator's call
	 * @return the result
	 */
	@WriteOperation
	public WebEndpointResponse<Done> act(@Selector String id, @Selector String action, @Nullable Integer status,
			@Nullable String contentType, @Nullable String body, @Nullable String version, SecurityContext operator) {
		Done done = this.endpoint.act(id, action, status, contentType, body, version, operator);
		if (done == null || (!done.done() && done.state().equals("unknown"))) {
			return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
		}
		return new WebEndpointResponse<>(done, done.done() ? WebEndpointResponse.STATUS_OK : CONFLICT);
	}

	/**
	 * Purges as {@link IdempotencyEndpoint#purge} does.
	 * @param action {@code purge}
	 * @param account the account's id
	 * @param tenant its tenant
	 * @param unfinished {@code refuse} or {@code delete}
	 * @param issuer the issuer of its token or its login provider
	 * @param operator the operator's call
	 * @return the deleted records
	 */
	@WriteOperation
	public WebEndpointResponse<AccountPurge.Result> purge(@Selector String action, String account,
			@Nullable String tenant, @Nullable Unfinished unfinished, @Nullable String issuer,
			SecurityContext operator) {
		AccountPurge.Result result = this.endpoint.purge(action, account, tenant, unfinished, issuer, operator);
		if (result == null) {
			return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
		}
		return new WebEndpointResponse<>(result, result.refused() ? CONFLICT : WebEndpointResponse.STATUS_OK);
	}

}
