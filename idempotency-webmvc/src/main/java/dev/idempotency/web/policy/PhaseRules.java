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
package dev.idempotency.web.policy;

import java.util.Arrays;

import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.web.method.HandlerMethod;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.phase.Phases;

/**
 * The rules for handlers that run in phases.
 */
final class PhaseRules {

	/**
	 * The source of transaction attributes, configured as Spring's own: the proxy of a
	 * class intercepts methods that are not public, too.
	 */
	private static final TransactionAttributeSource TRANSACTION_ATTRIBUTES = new AnnotationTransactionAttributeSource(
			false);

	private PhaseRules() {
	}

	static boolean isPhased(HandlerMethod handler) {
		return Arrays.asList(handler.getMethod().getParameterTypes()).contains(Phases.class);
	}

	/**
	 * Returns whether a handler has a separate transaction around it.
	 */
	static boolean isTransactional(HandlerMethod handler) {
		return TRANSACTION_ATTRIBUTES.hasTransactionAttribute(handler.getMethod(), handler.getBeanType());
	}

	static void require(HandlerMethod handler, Idempotent annotation, IdempotentOperation operation, String where) {
		require(annotation.mode() != Mode.TRANSACTIONAL, where, "has the mode TRANSACTIONAL and a parameter Phases.",
				"Remove one of them: phases have separate transactions.");
		require(!isTransactional(handler), where, "is @Transactional and has a parameter Phases.",
				"Remove @Transactional: phases have separate transactions.");
		require(operation.required(), where, "has a parameter Phases, and its key is optional.",
				"Add required = Required.TRUE: without a key there is nothing to resume.");
		require(!ReturnTypes.isAsynchronous(handler) && !ReturnTypes.isStreaming(handler), where,
				"has a parameter Phases and answers on another thread.",
				"Return the value itself: phases run on the thread of the request.");
	}

	private static void require(boolean condition, String where, String problem, String action) {
		if (!condition) {
			throw new InvalidIdempotentException("@Idempotent on " + where + " " + problem, action);
		}
	}

}
