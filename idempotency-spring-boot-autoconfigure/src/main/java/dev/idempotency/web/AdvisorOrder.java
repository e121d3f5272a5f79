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
package dev.idempotency.web;

import java.lang.reflect.Method;
import java.util.stream.Stream;

import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.transaction.interceptor.TransactionAspectSupport;

import dev.idempotency.InvalidIdempotentException;
import dev.idempotency.aop.IdempotentAdvisor;
import dev.idempotency.aop.IdempotentMethodInterceptor;

/**
 * The order of what is around a handler. A transaction around the claim would commit
 * without the answer, or not at all.
 */
final class AdvisorOrder {

	private AdvisorOrder() {
	}

	/**
	 * Check that no transaction is opened in front of the claim, as far as the advisors
	 * of the proxy tell.
	 * @throws InvalidIdempotentException if one is
	 */
	static void requireClaimFirst(Object bean, Method method, String where) {
		if (!(bean instanceof Advised advised)) {
			return;
		}
		Class<?> type = AopUtils.getTargetClass(bean);
		boolean transactionFirst = Stream.of(advised.getAdvisors())
			.takeWhile((advisor) -> !(advisor.getAdvice() instanceof IdempotentMethodInterceptor))
			.anyMatch((advisor) -> advisor.getAdvice() instanceof TransactionAspectSupport
					&& appliesTo(advisor, method, type));
		if (transactionFirst) {
			throw new InvalidIdempotentException(
					"@Idempotent on " + where + " is @Transactional, and its transaction begins before its key is "
							+ "claimed, so that it would commit without its answer.",
					"Remove the order from @EnableTransactionManagement, or make it greater than "
							+ IdempotentAdvisor.ORDER + "; or remove @Transactional from the handler.");
		}
	}

	private static boolean appliesTo(Advisor advisor, Method method, Class<?> type) {
		return !(advisor instanceof PointcutAdvisor selective)
				|| (selective.getPointcut().getClassFilter().matches(type)
						&& selective.getPointcut().getMethodMatcher().matches(method, type));
	}

}
