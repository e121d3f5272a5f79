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
package dev.idempotency.messaging;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import dev.idempotency.IdempotencyRequest;
import dev.idempotency.Idempotent.Scope;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.aop.AnnotatedOperation;
import dev.idempotency.aop.KeyExpression;
import dev.idempotency.exception.MissingKeyException;

/**
 * Creates requests from messages.
 *
 * @param keys resolves the keys
 * @param contents the content that distinguishes messages
 * @param maxWait the time that a duplicate waits while the first is being processed
 */
public record MessageRequests(MessageKeyResolver keys, MessageContent contents, Duration maxWait) {

	/**
	 * Creates the request of a message that is passed to a method.
	 * @return the request, {@code null} if the message has no key and needs none
	 * @throws MissingKeyException if it needs one
	 */
	@Nullable IdempotencyRequest create(AnnotatedOperation operation, IncomingMessage message, String scope,
			MethodInvocation invocation) {
		KeyExpression expression = operation.key();
		String key = (expression != null)
				? expression.evaluate(invocation.getThis(), operation.method(), invocation.getArguments())
				: this.keys.resolve(message);
		return create(operation, message, scope, key);
	}

	/**
	 * Creates the request of a message of a batch. An expression can use {@code #message}
	 * and {@code #payload}, but not the arguments, which are made from all messages.
	 */
	@Nullable IdempotencyRequest create(AnnotatedOperation operation, IncomingMessage message, String scope) {
		KeyExpression expression = operation.key();
		if (expression == null) {
			return create(operation, message, scope, this.keys.resolve(message));
		}
		Map<String, @Nullable Object> variables = new HashMap<>();
		variables.put("message", message);
		variables.put("payload", message.payload());
		return create(operation, message, scope, expression.evaluate(variables));
	}

	private @Nullable IdempotencyRequest create(AnnotatedOperation operation, IncomingMessage message, String scope,
			@Nullable String key) {
		IdempotentOperation settings = operation.settings();
		if (key == null || key.isBlank()) {
			if (settings.required()) {
				throw new MissingKeyException("A message of " + message.source() + " for " + settings.name()
						+ " has no key. Send it with the headers ce_id and ce_source, with a message-id, or with one of "
						+ "idempotency.messaging.key-headers; or name the key: "
						+ "@Idempotent(key = \"#payload.id()\"); or let such messages run unprotected: "
						+ "@Idempotent(required = Required.FALSE).");
			}
			return null;
		}
		boolean own = operation.annotation().scope() != Scope.DEFAULT;
		// In a list, since a missing content would not be compared, and that of a
		// tombstone has to be.
		return new IdempotencyRequest(settings.name(), key, Arrays.asList(this.contents.of(message)),
				own ? settings.scope() : Scope.RESOURCE, own ? settings.resource() : scope, settings.ttl(), null,
				this.maxWait);
	}

}
