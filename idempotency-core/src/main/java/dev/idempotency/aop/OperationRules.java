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
package dev.idempotency.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.interceptor.TransactionAttribute;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Replay;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.phase.Phases;

/**
 * Rules for an annotated method that is not an endpoint. They ensure that its effects and
 * its return value commit together.
 */
final class OperationRules {

	private static final List<Class<?>> NO_VALUES = List.of(Future.class, CompletionStage.class, Callable.class,
			BaseStream.class, Iterator.class);

	private static final List<String> ROUTES = Stream
		.of("org.springframework.web.servlet.function.", "org.springframework.web.reactive.function.server.")
		.flatMap((prefix) -> Stream.of("ServerRequest", "ServerResponse", "RouterFunction", "HandlerFunction")
			.map(prefix::concat))
		.toList();

	private static final Set<Integer> OTHER_TRANSACTION = Set.of(TransactionDefinition.PROPAGATION_REQUIRES_NEW,
			TransactionDefinition.PROPAGATION_NOT_SUPPORTED, TransactionDefinition.PROPAGATION_NEVER);

	private OperationRules() {
	}

	static void require(Method method, Idempotent annotation, @Nullable TransactionAttribute transaction,
			String where) {
		require(annotation.mode() != Mode.LEASED, where, "has the mode LEASED, and the method is not an endpoint.",
				"Remove the mode: the return value of a bean's method commits with its effects.");
		require(!Arrays.asList(method.getParameterTypes()).contains(Phases.class), where,
				"has a parameter Phases, and the method is not an endpoint.",
				"Call PhaseOperations.execute(...) instead: the caller has no Phases to pass.");
		require(annotation.replay() != Replay.NONE, where, "has replay = NONE, and the method is not an endpoint.",
				"Remove it. If the return value must not be stored, return void.");
		require(isValue(method), where,
				"returns " + method.getReturnType().getSimpleName() + ", which is not the value itself.",
				"Return the value: it is stored in the transaction that produced it.");
		require(transaction == null || !OTHER_TRANSACTION.contains(transaction.getPropagationBehavior()), where,
				"is on a method that runs outside the transaction that holds its record.",
				"Give @Transactional the propagation REQUIRED, or remove it.");
		require(transaction == null || (transaction.getIsolationLevel() == TransactionDefinition.ISOLATION_DEFAULT
				&& transaction.getTimeout() == TransactionDefinition.TIMEOUT_DEFAULT), where,
				"has an isolation level or a timeout, and joins the transaction of its record, which has neither.",
				"Remove it, and set it on the method that begins the transaction, or for all transactions.");
		require(transaction == null || !transaction.isReadOnly(), where,
				"is read-only, and joins the transaction that stores its record.",
				"Remove readOnly = true, or write @Transactional on the method if its class is read-only.");
	}

	/**
	 * The response of a functional route is written after its handler has returned, where
	 * neither its status nor its bytes can be stored with the effects.
	 */
	static void requireNoRoute(Method method, String where) {
		require(ROUTES.stream().noneMatch((route) -> mentions(method, route)), where,
				"is on a handler of functional routes, whose response is written outside its transaction.",
				"Write the endpoint as a method of a @RestController, or move the annotation to the service method that "
						+ "the route calls: @Idempotent(key = \"#command.id()\").");
	}

	/**
	 * Compares types by name, since their libraries are optional.
	 */
	private static boolean mentions(Method method, String className) {
		return Stream.concat(Stream.of(method.getReturnType()), Stream.of(method.getParameterTypes()))
			.anyMatch((type) -> type.getName().equals(className));
	}

	private static boolean isValue(Method method) {
		Class<?> type = method.getReturnType();
		return NO_VALUES.stream().noneMatch((candidate) -> candidate.isAssignableFrom(type))
				&& ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) == null
				&& !KotlinDetector.isSuspendingFunction(method);
	}

	static void require(boolean condition, String where, String problem, String action) {
		if (!condition) {
			throw new InvalidIdempotentException("@Idempotent on " + where + " " + problem, action);
		}
	}

}
