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
package dev.idempotency.web.endpoint;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.http.HttpEntity;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Replay;
import dev.idempotency.IdempotentOperation;

/**
 * The return types of handlers, which determine the storable part of a response.
 */
public final class ReturnTypes {

	private static final List<Class<?>> ASYNCHRONOUS = List.of(Callable.class, DeferredResult.class,
			CompletionStage.class, WebAsyncTask.class);

	private static final List<Class<?>> EMITTERS = List.of(ResponseBodyEmitter.class, StreamingResponseBody.class);

	private static final List<Class<?>> LATER = Stream.concat(ASYNCHRONOUS.stream(), EMITTERS.stream()).toList();

	private ReturnTypes() {
	}

	static boolean isAsynchronous(HandlerMethod handler) {
		return isAnyOf(ASYNCHRONOUS, declaredType(handler.getReturnType()))
				|| KotlinDetector.isSuspendingFunction(handler.getMethod());
	}

	static boolean isStreaming(HandlerMethod handler) {
		Class<?> type = declaredType(handler.getReturnType());
		return isAnyOf(EMITTERS, type) || Stream.class.isAssignableFrom(type) || isReactiveStream(type);
	}

	/**
	 * Returns whether the response to a return value is written when the thread of the
	 * handler no longer works for the request, regardless of the handler's declared type.
	 */
	public static boolean isWrittenLater(Object value) {
		Class<?> type = value.getClass();
		return isAnyOf(LATER, type) || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
	}

	/**
	 * Returns whether the response to a return value is a stream, regardless of the
	 * handler's declared type.
	 */
	public static boolean isStream(Object value) {
		Class<?> type = value.getClass();
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
		return isAnyOf(EMITTERS, type) || (adapter != null && adapter.isMultiValue() && !isAnyOf(ASYNCHRONOUS, type));
	}

	static void requireReplayable(HandlerMethod handler, IdempotentOperation operation, String where) {
		String type = declaredType(handler.getReturnType()).getSimpleName();
		boolean transactional = operation.mode() == Mode.TRANSACTIONAL;
		EndpointResolver.require(!isStreaming(handler) || (operation.replay() == Replay.NONE && !transactional), where,
				"returns " + type + ", a stream that cannot be stored and replayed.",
				"Return a value; or keep only the fact that it was executed, with mode = Mode.LEASED and "
						+ "replay = Replay.NONE.");
		boolean suspending = KotlinDetector.isSuspendingFunction(handler.getMethod());
		EndpointResolver.require(!isAsynchronous(handler) || !transactional, where,
				(suspending ? "is a suspending function" : "returns " + type)
						+ ", whose work runs outside the handler's transaction.",
				"Return the value itself, or add mode = Mode.LEASED.");
	}

	private static boolean isReactiveStream(Class<?> type) {
		return ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null
				&& !CompletionStage.class.isAssignableFrom(type);
	}

	private static Class<?> declaredType(MethodParameter returnType) {
		ResolvableType type = ResolvableType.forMethodParameter(returnType);
		if (HttpEntity.class.isAssignableFrom(type.toClass())) {
			return type.as(HttpEntity.class).getGeneric().toClass();
		}
		return type.toClass();
	}

	private static boolean isAnyOf(List<Class<?>> types, Class<?> type) {
		for (Class<?> candidate : types) {
			if (candidate.isAssignableFrom(type)) {
				return true;
			}
		}
		return false;
	}

}
