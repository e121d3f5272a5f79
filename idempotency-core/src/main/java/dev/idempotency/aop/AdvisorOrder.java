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
import java.util.List;
import java.util.Set;

import org.aopalliance.aop.Advice;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.IntroductionAdvisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.aspectj.AbstractAspectJAdvice;
import org.springframework.aop.aspectj.AspectJAfterThrowingAdvice;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.MethodMatchers;
import org.springframework.cache.interceptor.CacheAspectSupport;
import org.springframework.cache.interceptor.CacheOperation;
import org.springframework.cache.interceptor.CacheOperationSource;
import org.springframework.cache.interceptor.CacheableOperation;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.resilience.retry.AbstractRetryInterceptor;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.util.ClassUtils;

import dev.idempotency.exception.InvalidIdempotentException;

/**
 * Requires that authorization of a protected method comes before the claim: a replay
 * passes through the advisors before the claim, and through none after it.
 * <ol>
 * <li>An advisor of Spring Security after the claim is refused.</li>
 * <li>On an endpoint, an advisor that checks the return value is refused in any position:
 * a stored response has no return value.</li>
 * <li>On an endpoint, a transaction before the claim is refused, because it would commit
 * without the response.</li>
 * <li>On an endpoint or a message listener, a retry before the claim is refused, because
 * a handler is called once for a request or a delivery; the second call would get what
 * the first one has changed. So is an asynchronous call.</li>
 * <li>A cache of results is refused in any position, on any method.</li>
 * <li>An advisor of the application after the claim is refused if it has no order: its
 * position is then an accident, and the library cannot know its purpose. Advice that only
 * sees failures cannot decide who may call.</li>
 * </ol>
 * Proxies that exist when the application starts are checked then, others on their first
 * call.
 */
public final class AdvisorOrder {

	private static final String SPRING_SECURITY = "org.springframework.security.";

	private static final List<String> OF_RESULTS = List.of(SPRING_SECURITY + "access.prepost.PostAuthorize",
			SPRING_SECURITY + "access.prepost.PostFilter",
			SPRING_SECURITY + "authorization.method.AuthorizeReturnObject");

	/**
	 * Spring's advisor for the annotations of JSR-107 and the one that returns cached
	 * results, by name: they are in optional modules.
	 */
	private static final String JCACHE = "org.springframework.cache.jcache.";

	private static final String CACHE_RESULT = "javax.cache.annotation.CacheResult";

	/**
	 * Packages of advisors for transactions, caches, metrics and the like, which do not
	 * authorise.
	 */
	private static final Set<String> KNOWN = Set.of("org.springframework.", "io.micrometer.",
			"io.github.resilience4j.");

	/**
	 * A kind of protected method.
	 */
	public enum Kind {

		/**
		 * A controller method, whose response is stored.
		 */
		ENDPOINT,

		/**
		 * A listener, which its container calls with a message.
		 */
		LISTENER,

		/**
		 * A method of another bean, whose return value is stored.
		 */
		OPERATION

	}

	private AdvisorOrder() {
	}

	/**
	 * Checks the proxy of an invocation.
	 * @param invocation the invocation
	 * @param type the class of the bean
	 * @param kind the kind of the method
	 * @throws InvalidIdempotentException if the order is wrong
	 */
	static void require(MethodInvocation invocation, Class<?> type, Kind kind) {
		if (invocation instanceof ProxyMethodInvocation called) {
			require(called.getProxy(), AopUtils.getMostSpecificMethod(invocation.getMethod(), type), type, kind);
		}
	}

	/**
	 * Checks a proxy.
	 * @param bean the bean; a bean that is not a proxy is checked on its first call
	 * @param method the protected method of the class
	 * @param type the class
	 * @param kind the kind of the method
	 * @throws InvalidIdempotentException if the order is wrong
	 */
	public static void require(Object bean, Method method, Class<?> type, Kind kind) {
		if (!(bean instanceof Advised advised)) {
			return;
		}
		String where = type.getSimpleName() + "#" + method.getName();
		boolean claimed = false;
		for (Advisor advisor : advised.getAdvisors()) {
			if (IdempotentAdvisor.isClaim(advisor)) {
				claimed = true;
			}
			else if (!(advisor.getAdvice() instanceof ClaimedBody.Innermost) && matches(advisor, method, type)) {
				requireNoCachedResult(advisor, method, type, where);
				if (kind != Kind.OPERATION) {
					requireOneCall(advisor.getAdvice(), claimed, where);
				}
				if (kind == Kind.ENDPOINT) {
					requireEndpoint(advisor, claimed, method, type, where);
				}
				if (claimed) {
					requireHarmless(advisor, where);
				}
			}
		}
	}

	private static boolean matches(Advisor advisor, Method method, Class<?> type) {
		if (advisor instanceof PointcutAdvisor cut) {
			return cut.getPointcut().getClassFilter().matches(type)
					&& MethodMatchers.matches(cut.getPointcut().getMethodMatcher(), method, type, false);
		}
		return !(advisor instanceof IntroductionAdvisor);
	}

	/**
	 * A cached result has no effects. It is put into the cache before the transaction of
	 * the claim commits, and stays there after a rollback: the retry would store it as
	 * the response of an execution that never took place.
	 */
	private static void requireNoCachedResult(Advisor advisor, Method method, Class<?> type, String where) {
		String annotation = cachedBy(advisor, method, type);
		OperationRules.require(annotation == null, where,
				"is @" + annotation + ", and a result from the cache is returned without an execution.",
				"Move @" + annotation + " to a method that only reads.");
	}

	private static @Nullable String cachedBy(Advisor advisor, Method method, Class<?> type) {
		if (advisor.getAdvice() instanceof CacheAspectSupport caching) {
			CacheOperationSource source = caching.getCacheOperationSource();
			Collection<CacheOperation> operations = (source != null) ? source.getCacheOperations(method, type) : null;
			return (operations != null && operations.stream().anyMatch(CacheableOperation.class::isInstance))
					? "Cacheable" : null;
		}
		boolean jcache = advisor.getClass().getName().startsWith(JCACHE)
				&& MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).isPresent(CACHE_RESULT);
		return jcache ? "CacheResult" : null;
	}

	/**
	 * A request or a message is bound to its thread, and its handler is called once for
	 * its claim.
	 */
	private static void requireOneCall(Advice advice, boolean claimed, String where) {
		OperationRules.require(!(advice instanceof AsyncExecutionInterceptor), where,
				"is @Async, and would run on a thread without its request or message.",
				"Remove @Async. An endpoint can have mode = Mode.LEASED, and return the CompletableFuture of an @Async "
						+ "method of a service.");
		OperationRules.require(claimed || !(advice instanceof AbstractRetryInterceptor), where,
				"is @Retryable, and a handler is called once for a request or a message.",
				"Move @Retryable to the method of a service that the handler calls.");
	}

	private static void requireEndpoint(Advisor advisor, boolean claimed, Method method, Class<?> type, String where) {
		if (name(advisor).startsWith(SPRING_SECURITY)) {
			requireNoResult(method, type, where);
		}
		OperationRules.require(claimed || !(advisor.getAdvice() instanceof TransactionAspectSupport), where,
				"is @Transactional, and its transaction begins before its key is claimed, so that it would commit "
						+ "without its response.",
				"Remove the order from @EnableTransactionManagement, or make it greater than " + IdempotentAdvisor.ORDER
						+ "; or remove @Transactional from the handler.");
	}

	/**
	 * Spring Security tells its interceptors apart only by these annotations: an advisor
	 * does not expose the annotation that it enforces.
	 */
	private static void requireNoResult(Method method, Class<?> type, String where) {
		MergedAnnotations own = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
		MergedAnnotations ofType = MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY);
		for (String annotation : OF_RESULTS) {
			OperationRules.require(!own.isPresent(annotation) && !ofType.isPresent(annotation), where,
					"is combined with @" + ClassUtils.getShortName(annotation)
							+ ", which checks the return value: a replay is a stored response, and has no return value "
							+ "to check.",
					"Move the rule to @PreAuthorize, or declare a ReplayAuthorizer bean and check the return value in "
							+ "the method.");
		}
	}

	private static void requireHarmless(Advisor advisor, String where) {
		String name = name(advisor);
		OperationRules.require(!name.startsWith(SPRING_SECURITY), where,
				"would replay to callers who were not authorised again: the method security of " + name + order(advisor)
						+ " runs after the claim, which has the order " + IdempotentAdvisor.ORDER + ".",
				"Order method security before the claim: give @EnableMethodSecurity an offset below 300, or your "
						+ "advisor an order below " + IdempotentAdvisor.ORDER + ".");
		if (KNOWN.stream().noneMatch(name::startsWith) && !isOrdered(advisor) && !seesFailuresOnly(advisor)) {
			throw new InvalidIdempotentException(
					"The aspect " + name + " has no order, and runs after the claim of @Idempotent on " + where
							+ ": a replay bypasses it.",
					"If it decides who may call, order it before the claim: @Order(900), or any order below "
							+ IdempotentAdvisor.ORDER + ". Otherwise declare a higher order: @Order(2000). "
							+ "To order an aspect of a library, extend its class.");
		}
	}

	/**
	 * Returns whether advice runs only when the method has failed, and can only replace
	 * the failure. Any other advice may decide who may call, by an exception.
	 */
	private static boolean seesFailuresOnly(Advisor advisor) {
		return advisor.getAdvice() instanceof AspectJAfterThrowingAdvice;
	}

	private static boolean isOrdered(Advisor advisor) {
		return advisor instanceof Ordered ordered && ordered.getOrder() != Ordered.LOWEST_PRECEDENCE;
	}

	private static String order(Advisor advisor) {
		return (advisor instanceof Ordered ordered) ? " (order " + ordered.getOrder() + ")" : "";
	}

	/**
	 * Returns the name of the class that a user would recognise.
	 */
	private static String name(Advisor advisor) {
		Advice advice = advisor.getAdvice();
		if (advice instanceof AbstractAspectJAdvice aspect) {
			return aspect.getAspectJAdviceMethod().getDeclaringClass().getName();
		}
		return (advice instanceof Advisor || advisor.getClass().getName().startsWith(SPRING_SECURITY))
				? advisor.getClass().getName() : advice.getClass().getName();
	}

}
