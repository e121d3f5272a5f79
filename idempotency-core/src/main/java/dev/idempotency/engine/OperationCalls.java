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

import java.security.MessageDigest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.IdempotencyRequest;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Replay;
import dev.idempotency.Idempotent.Scope;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.account.Account;
import dev.idempotency.engine.ClaimRequest.EffectCommits;
import dev.idempotency.engine.codec.ExactJson;
import dev.idempotency.engine.identity.CallerAccounts;
import dev.idempotency.engine.identity.DigestKeys;
import dev.idempotency.engine.identity.IdentityFactory;
import dev.idempotency.engine.identity.IdentityFactory.Kind;
import dev.idempotency.exception.AccountRequiredException;
import dev.idempotency.job.StagedJobs;
import dev.idempotency.phase.PhaseOperations;
import dev.idempotency.phase.Phases;
import dev.idempotency.phase.TransientFailurePolicy;
import dev.idempotency.store.Identity;

/**
 * Creates the calls for requests of services.
 */
public final class OperationCalls {

	private static final byte BYTES = 1;

	private static final byte VALUES = 2;

	private final IdentityFactory identities;

	private final CallerAccounts accounts;

	private final OperationFactory.Defaults defaults;

	/**
	 * Writes content in an order that is the same in every JVM.
	 */
	private final JsonMapper canonical;

	private final ReturnValueFormat values;

	public OperationCalls(IdentityFactory identities, CallerAccounts accounts, OperationFactory.Defaults defaults,
			JsonMapper mapper) {
		this.identities = identities;
		this.accounts = accounts;
		this.defaults = defaults;
		this.canonical = ExactJson.presentValues(mapper);
		this.values = new ReturnValueFormat(mapper);
	}

	/**
	 * Returns the format of return values.
	 */
	ReturnValueFormat values() {
		return this.values;
	}

	/**
	 * Creates the call for a request.
	 * @param request the request
	 * @param commits the way in which its effects become durable
	 * @return the call
	 */
	public ClaimRequest create(IdempotencyRequest request, EffectCommits commits) {
		Scope scope = (request.scope() != Scope.DEFAULT) ? request.scope() : this.defaults.scope();
		Mode mode = (commits == EffectCommits.ONCE) ? Mode.TRANSACTIONAL : Mode.LEASED;
		Duration ttl = (request.ttl() != null) ? request.ttl() : this.defaults.ttl();
		IdempotentOperation operation = new IdempotentOperation(request.operation(), null, scope, request.resource(),
				ttl, ttl, true, mode, Replay.FULL);
		Identity identity = this.identities.create(operation, Kind.VALUE, account(request), request.key());
		return new ClaimRequest(operation, identity, this.identities.fingerprint(identity, operation, digest(request)),
				commits, null, null);
	}

	/**
	 * Digests the content: bytes as they are, anything else as the values that are there.
	 * An argument or a field that was added since, and has no value, changes nothing.
	 */
	private byte[] digest(IdempotencyRequest request) {
		MessageDigest digest = DigestKeys.sha256();
		Object content = request.content();
		if (content instanceof byte[] bytes) {
			digest.update(BYTES);
			digest.update(bytes);
		}
		else if (content != null) {
			digest.update(VALUES);
			digest
				.update(write(request.operation(), (content instanceof List<?> several) ? present(several) : content));
		}
		return digest.digest();
	}

	private byte[] write(String operation, Object content) {
		try {
			return this.canonical.writeValueAsBytes(content);
		}
		catch (JacksonException ex) {
			throw new IllegalArgumentException(
					"The arguments of " + operation + " cannot be written as JSON, which identifies a retry: "
							+ ex.getOriginalMessage() + ". Pass values, and let the bean look up the rest.",
					ex);
		}
	}

	private static List<?> present(List<?> arguments) {
		int count = arguments.size();
		while (count > 0 && isAbsent(arguments.get(count - 1))) {
			count--;
		}
		return arguments.subList(0, count);
	}

	private static boolean isAbsent(@Nullable Object argument) {
		return argument == null || (argument instanceof Optional<?> optional && optional.isEmpty());
	}

	/**
	 * Returns the account of a request.
	 * @param request the request
	 * @return the account
	 * @throws AccountRequiredException if the caller is anonymous and such callers are
	 * refused
	 */
	public Account account(IdempotencyRequest request) {
		return (request.account() != null) ? request.account() : this.accounts.requireCurrent();
	}

	/**
	 * Creates the operations of services.
	 * @param engine claims calls
	 * @param transactions ends transactions that the work leaves open
	 * @return the operations
	 */
	public IdempotencyOperations operations(IdempotencyEngine engine, RequestTransactions transactions) {
		return new EngineOperations(engine, this, transactions);
	}

	/**
	 * Creates the operations of services in phases.
	 * @param engine claims calls
	 * @param phases the phases of a request
	 * @param transactions ends transactions that the work leaves open
	 * @return the operations
	 */
	public PhaseOperations operations(IdempotencyEngine engine, Phases phases, RequestTransactions transactions) {
		return new EngineOperations(engine, this, transactions).inPhases(phases);
	}

	/**
	 * Creates the phases of the request on the current thread.
	 * @param transactions provides the run of a thread
	 * @param settings the settings of the engine
	 * @param mapper reads and writes the results of steps
	 * @param failures recognises transient failures of foreign calls
	 * @param jobs stages jobs
	 * @return the phases
	 */
	public static Phases phases(RequestTransactions transactions, EngineSettings settings, JsonMapper mapper,
			TransientFailurePolicy failures, ObjectProvider<StagedJobs> jobs) {
		return new EnginePhases(transactions, settings.retry(), settings.isolation(), new ReturnValueFormat(mapper),
				failures, jobs);
	}

}
