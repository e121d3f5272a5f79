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

import java.lang.reflect.Type;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

import dev.idempotency.Account;
import dev.idempotency.AccountResolver;
import dev.idempotency.IdempotencyOperations;
import dev.idempotency.IdempotencyRequest;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.Mode;
import dev.idempotency.Replay;
import dev.idempotency.Scope;
import dev.idempotency.engine.IdentityFactory.Kind;

/**
 * Runs work through the engine, with return values as JSON.
 */
public final class EngineOperations implements IdempotencyOperations {

	private final IdempotencyEngine engine;

	private final IdentityFactory identities;

	private final AccountResolver accountResolver;

	private final OperationDefaults defaults;

	private final JsonMapper mapper;

	private final JsonMapper canonical;

	public EngineOperations(IdempotencyEngine engine, IdentityFactory identities, AccountResolver accountResolver,
			OperationDefaults defaults, JsonMapper mapper) {
		this.engine = engine;
		this.identities = identities;
		this.accountResolver = accountResolver;
		this.defaults = defaults;
		this.mapper = mapper;
		this.canonical = mapper.rebuild()
			.enable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
			.enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
			.build();
	}

	@Override
	@SuppressWarnings("unchecked")
	public <T> @Nullable T execute(IdempotencyRequest request, Class<T> type, Supplier<? extends @Nullable T> work) {
		return (T) execute(request, (Type) type, work);
	}

	@Override
	public @Nullable Object execute(IdempotencyRequest request, Type type, Supplier<? extends @Nullable Object> work) {
		IdempotentOperation operation = operation(request);
		Claim claim = this.engine
			.claim(new Call(operation, this.identities.create(operation, Kind.VALUE, account(request), request.key()),
					fingerprint(request), true));
		if (claim instanceof Claim.Replayed replayed) {
			return read(replayed.answer(), type);
		}
		Execution execution = (Execution) claim;
		Object value;
		Answer answer;
		try {
			value = work.get();
			answer = new Answer(0, List.of(), this.mapper.writeValueAsBytes(value));
		}
		catch (RuntimeException | Error ex) {
			execution.release();
			throw ex;
		}
		Answer theirs = execution.finish(answer);
		return (theirs != null) ? read(theirs, type) : value;
	}

	private IdempotentOperation operation(IdempotencyRequest request) {
		Scope scope = (request.scope() != Scope.DEFAULT) ? request.scope() : this.defaults.scope();
		return new IdempotentOperation(request.operation(), null, scope, request.resource(),
				(request.ttl() != null) ? request.ttl() : this.defaults.ttl(), true, Mode.TRANSACTIONAL, Replay.FULL);
	}

	private Account account(IdempotencyRequest request) {
		if (request.account() != null) {
			return request.account();
		}
		Account current = this.accountResolver.resolve();
		return (current != null) ? current : Account.SHARED;
	}

	private @Nullable Object read(Answer answer, Type type) {
		return this.mapper.readValue(answer.body(), this.mapper.constructType(type));
	}

	/**
	 * The operation is part of the fingerprint: in scope account the same key for another
	 * operation is another request.
	 */
	private byte[] fingerprint(IdempotencyRequest request) {
		try {
			MessageDigest digest = MessageDigest.getInstance("SHA-256");
			digest.update(this.canonical.writeValueAsBytes(request.operation()));
			if (request.content() != null) {
				digest.update(this.canonical.writeValueAsBytes(request.content()));
			}
			return digest.digest();
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-256", ex);
		}
	}

}
