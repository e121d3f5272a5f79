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

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * The aspect: passes the invocation of an annotated method to its protection. The
 * collaborators are looked up once, at the first invocation, because the advisor would
 * otherwise create half of the application's beans while proxies are created.
 */
final class IdempotentMethodInterceptor implements MethodInterceptor {

	private final SingletonSupplier<Protections> protections;

	IdempotentMethodInterceptor(ObjectProvider<EndpointProtection> endpoints,
			ObjectProvider<OperationProtection> operations) {
		this.protections = SingletonSupplier
			.of(() -> new Protections(endpoints.getIfAvailable(), operations.getObject()));
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Protections found = this.protections.obtain();
		EndpointProtection endpoint = found.endpoint();
		Object target = invocation.getThis();
		Class<?> type = (target != null) ? ClassUtils.getUserClass(target) : invocation.getMethod().getDeclaringClass();
		if (endpoint != null && endpoint.isEndpoint(invocation.getMethod(), type)) {
			return endpoint.invoke(invocation);
		}
		return found.operation().invoke(invocation, type);
	}

	private record Protections(@Nullable EndpointProtection endpoint, OperationProtection operation) {
	}

}
