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
import java.util.Collection;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.cache.interceptor.CacheAspectSupport;
import org.springframework.cache.interceptor.CacheOperation;
import org.springframework.cache.interceptor.CacheOperationSource;
import org.springframework.cache.interceptor.CacheableOperation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.resilience.retry.AbstractRetryInterceptor;
import org.springframework.transaction.interceptor.TransactionAspectSupport;

import dev.idempotency.exception.InvalidIdempotentException;

/**
 * Rules for Spring's advice on a protected method, which is called once for a claim, on
 * the thread and in the transaction of the claim.
 */
final class AdviceRules {

	/**
	 * Spring's advisor for the annotations of JSR-107 and the one that returns cached
	 * results, by name: they are in optional modules.
	 */
	private static final String JCACHE = "org.springframework.cache.jcache.";

	private static final String CACHE_RESULT = "javax.cache.annotation.CacheResult";

	private AdviceRules() {
	}

	/**
	 * A request or a message is bound to its thread: on another thread its handler would
	 * run without a claim.
	 */
	static void requireSameThread(Advisor advisor, String where) {
		if (advisor.getAdvice() instanceof AsyncExecutionInterceptor) {
			throw new InvalidIdempotentException(
					"@Idempotent on " + where + " is @Async, and would run on a thread without its request or message.",
					"Remove @Async. An endpoint can have mode = Mode.LEASED, and return the CompletableFuture of an "
							+ "@Async method of a service.");
		}
	}

	/**
	 * A transaction around the claim would commit without the answer, or not at all.
	 */
	static void requireNoTransaction(Advisor advisor, String where) {
		if (advisor.getAdvice() instanceof TransactionAspectSupport) {
			throw new InvalidIdempotentException(
					"@Idempotent on " + where + " is @Transactional, and its transaction begins before its key is "
							+ "claimed, so that it would commit without its answer.",
					"Remove the order from @EnableTransactionManagement, or make it greater than "
							+ IdempotentAdvisor.ORDER + "; or remove @Transactional from the handler.");
		}
	}

	/**
	 * A request or a message is claimed once, and its handler is called once for that
	 * claim.
	 */
	static void requireNoRetry(Advisor advisor, String where) {
		if (advisor.getAdvice() instanceof AbstractRetryInterceptor) {
			throw new InvalidIdempotentException(
					"@Idempotent on " + where
							+ " is @Retryable, and a handler is called once for a request or a message.",
					"Move @Retryable to the method of a service that the handler calls.");
		}
	}

	/**
	 * A cached result has no effects. It is put into the cache before the transaction of
	 * the claim commits, and stays there after a rollback: the retry would store it as
	 * the answer of an execution that never took place.
	 */
	static void requireNoCachedResult(Advisor advisor, Method method, Class<?> type, String where) {
		String annotation = cachedBy(advisor, method, type);
		if (annotation != null) {
			throw new InvalidIdempotentException(
					"@Idempotent on " + where + " is @" + annotation
							+ ", and a result from the cache is returned without an execution.",
					"Move @" + annotation + " to a method that only reads.");
		}
	}

	private static @Nullable String cachedBy(Advisor advisor, Method method, Class<?> type) {
		if (advisor.getAdvice() instanceof CacheAspectSupport caching) {
			return isCached(caching.getCacheOperationSource(), method, type) ? "Cacheable" : null;
		}
		boolean jcache = advisor.getClass().getName().startsWith(JCACHE)
				&& MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).isPresent(CACHE_RESULT);
		return jcache ? "CacheResult" : null;
	}

	private static boolean isCached(@Nullable CacheOperationSource source, Method method, Class<?> type) {
		Collection<CacheOperation> operations = (source != null) ? source.getCacheOperations(method, type) : null;
		return operations != null && operations.stream().anyMatch(CacheableOperation.class::isInstance);
	}

}
