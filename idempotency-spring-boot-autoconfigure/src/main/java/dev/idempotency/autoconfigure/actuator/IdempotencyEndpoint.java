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

import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

import dev.idempotency.account.Account;
import dev.idempotency.operator.AccountPurge;
import dev.idempotency.operator.AccountPurge.Unfinished;
import dev.idempotency.operator.UnfinishedRequest;
import dev.idempotency.operator.UnfinishedRequests;
import dev.idempotency.operator.UnfinishedRequests.AbandonedResponse;
import dev.idempotency.store.Identity;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.OperatorStore.Oldest;
import dev.idempotency.store.OperatorStore.Overview;

/**
 * The operators' endpoint of requests, with actions for those that do not complete.
 * <p>
 * Its actions are enabled by {@code
 * management.endpoint.idempotency.access=unrestricted}; by default it is read-only.
 */
@Endpoint(id = "idempotency", defaultAccess = Access.READ_ONLY)
final class IdempotencyEndpoint {

	private final RequestViews views;

	private final UnfinishedRequests unfinished;

	private final AccountPurge accounts;

	private final OperatorStore store;

	private final NodeWorkers workers;

	IdempotencyEndpoint(RequestViews views, UnfinishedRequests unfinished, AccountPurge accounts, OperatorStore store,
			NodeWorkers workers) {
		this.views = views;
		this.unfinished = unfinished;
		this.accounts = accounts;
		this.store = store;
		this.workers = workers;
	}

	/**
	 * Returns a summary.
	 * @return counts and workers
	 */
	@ReadOperation
	public Summary summary() {
		Overview overview = this.store.overview();
		return new Summary(overview.records(), overview.running(), overview.waiting(), overview.stuck(),
				Summary.OldestOpen.of(overview), this.workers.deadJobs(), this.workers.reaper(),
				this.workers.completer());
	}

	/**
	 * Returns some requests, or one.
	 * @param selection {@code stuck} for those that need manual resolution, {@code open}
	 * for all that have no response, both oldest first, or the id of a request, or its
	 * first twelve digits as in log lines
	 * @param limit maximum length of the list, 100 by default and up to 1000
	 * @param after the position after which the list starts: {@code next} of the previous
	 * page
	 * @param operator the operator's call
	 * @return the requests or the request, {@code null} if the id is invalid, or no id
	 * begins with these digits
	 */
	@ReadOperation
	public @Nullable OperationResponseBody find(@Selector String selection, @Nullable Integer limit,
			@Nullable String after, SecurityContext operator) {
		return switch (selection) {
			case "stuck" -> this.views.stuck(limit, after);
			case "open" -> this.views.open(limit, after);
			default -> {
				OperationResponseBody found = this.views.find(selection);
				OperatorCalls.shown(operator, found);
				yield found;
			}
		};
	}

	/**
	 * Retries or abandons a request.
	 * @param id the id of the request
	 * @param action {@code retry} or {@code abandon}
	 * @param status the HTTP status of the response to the sender of an abandoned
	 * request, from 400 to 599, 500 by default
	 * @param contentType the media type of that answer, problem details by default
	 * @param body its body, problem details by default
	 * @param version the version of the request that the operator has decided on; the
	 * current one by default
	 * @param operator the operator's call
	 * @return the result, {@code null} if the action or the id is invalid
	 * @see UnfinishedRequests
	 */
	@WriteOperation
	public @Nullable Done act(@Selector String id, @Selector String action, @Nullable Integer status,
			@Nullable String contentType, @Nullable String body, @Nullable String version, SecurityContext operator) {
		Identity identity = OperatorCalls.id(id);
		if (identity == null) {
			return null;
		}
		return switch (action) {
			case "retry" -> act("retry", this.unfinished::retry, identity, version, operator);
			case "abandon" -> {
				AbandonedResponse answer = answer(status, contentType, body);
				yield act("abandon with " + answer.status(), (request) -> this.unfinished.abandon(request, answer),
						identity, version, operator);
			}
			default -> null;
		};
	}

	private Done act(String action, Predicate<UnfinishedRequest> change, Identity identity, @Nullable String version,
			SecurityContext operator) {
		String id = RequestViews.id(identity);
		Optional<UnfinishedRequest> found = this.unfinished.find(id);
		boolean changed = version != null && found.filter((request) -> !request.version().equals(version)).isPresent();
		boolean done = !changed && found.filter(change).isPresent();
		String state = this.views.find(identity).state();
		OperatorCalls.acted(operator, action + " request " + id, (done ? "done" : "not done") + ", state " + state);
		return new Done(done, state, changed
				? "The request has changed since version " + version + ": read it again, and decide again" : null);
	}

	private static AbandonedResponse answer(@Nullable Integer status, @Nullable String contentType,
			@Nullable String body) {
		int code = (status != null) ? status : 500;
		try {
			return new AbandonedResponse(code, (contentType != null) ? contentType : "application/problem+json",
					((body != null) ? body : problem(code)).getBytes(StandardCharsets.UTF_8));
		}
		catch (IllegalArgumentException ex) {
			throw OperatorCalls.invalid(ex);
		}
	}

	private static String problem(int status) {
		return "{\"type\":\"about:blank\",\"title\":\"Request abandoned\",\"status\":" + status
				+ ",\"detail\":\"This request was not completed. An operator has abandoned it.\"}";
	}

	/**
	 * Deletes the stored data of an account.
	 * @param action {@code purge}
	 * @param account the account's id
	 * @param tenant its tenant, empty by default
	 * @param unfinished {@code refuse}, the default, to delete nothing if the account has
	 * requests without a response; {@code delete} to delete also those that are not
	 * running and have no effects
	 * @param issuer the issuer of its token or its login provider, empty by default
	 * @param operator the operator's call
	 * @return the deleted records, {@code null} if there is no such action
	 * @see AccountPurge
	 */
	@WriteOperation
	public AccountPurge.@Nullable Result purge(@Selector String action, String account, @Nullable String tenant,
			@Nullable Unfinished unfinished, @Nullable String issuer, SecurityContext operator) {
		if (!action.equals("purge")) {
			return null;
		}
		AccountPurge.Result result = this.accounts.purge(
				new Account((tenant != null) ? tenant : "", (issuer != null) ? issuer : "", account),
				Objects.requireNonNullElse(unfinished, Unfinished.REFUSE));
		// Without the account: a log must not identify a deleted person.
		OperatorCalls.acted(operator, "purge an account", (result.refused() ? "refused, " : "done, ") + result.answers()
				+ " answers, " + result.unfinished() + " unfinished requests");
		return result;
	}

	/**
	 * The result of an action.
	 *
	 * @param done whether the action was executed; it is not if the request has a
	 * response, is running, is unknown, or has another version
	 * @param state the state of the request afterwards
	 * @param detail the advice if the request has another version, otherwise {@code null}
	 */
	record Done(boolean done, String state, @Nullable String detail) implements OperationResponseBody {
	}

	/**
	 * Counts of records and requests, and the state of the background workers.
	 *
	 * @param records the approximate number of stored responses: the database's estimate,
	 * including expired responses and the responses of other applications that share the
	 * tables
	 * @param running the number of requests of this application running under a lease
	 * @param waiting the number that may be retried
	 * @param stuck the number that need manual resolution
	 * @param oldestOpen the oldest request without a response, {@code null} if there is
	 * none
	 * @param deadJobs the number of dead staged jobs, counted to 1000; {@code null}
	 * without staged jobs
	 * @param reaper the reaper of this node, {@code null} if it has none
	 * @param completer the completer of this node, {@code null} if it has none
	 */
	record Summary(long records, int running, int waiting, int stuck, @Nullable OldestOpen oldestOpen,
			@Nullable Integer deadJobs, NodeWorkers.@Nullable WorkerState reaper,
			NodeWorkers.@Nullable WorkerState completer) implements OperationResponseBody {

		/**
		 * The oldest request without a response.
		 *
		 * @param ageSeconds its age in seconds
		 * @param operation the operation's name
		 */
		record OldestOpen(long ageSeconds, String operation) {

			static @Nullable OldestOpen of(Overview overview) {
				Oldest oldest = overview.oldest();
				return (oldest != null) ? new OldestOpen(oldest.age().toSeconds(), oldest.operation()) : null;
			}

		}

	}

	/**
	 * Maps the result of an action to an HTTP status: 200 if it was done, 409 if it was
	 * not, 404 if the id is unknown.
	 */
	@EndpointWebExtension(endpoint = IdempotencyEndpoint.class)
	static final class Web {

		private static final int CONFLICT = 409;

		private final IdempotencyEndpoint endpoint;

		Web(IdempotencyEndpoint endpoint) {
			this.endpoint = endpoint;
		}

		/**
		 * Acts as {@link IdempotencyEndpoint#act} does.
		 * @param id the id of the request
		 * @param action {@code retry} or {@code abandon}
		 * @param status the status of the response
		 * @param contentType its media type
		 * @param body its body
		 * @param version the version of the request that the operator has decided on
		 * @param operator the operator's call
		 * @return the result
		 */
		@WriteOperation
		public WebEndpointResponse<Done> act(@Selector String id, @Selector String action, @Nullable Integer status,
				@Nullable String contentType, @Nullable String body, @Nullable String version,
				SecurityContext operator) {
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

}
