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
package dev.idempotency.autoconfigure;

import java.util.function.BooleanSupplier;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextHolderStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestContextHolder;

/**
 * Detects work for a caller on the current thread: a web request is bound to the thread,
 * or Spring Security has an anonymous caller.
 */
final class CallerPresence implements BooleanSupplier {

	private static final boolean WEB = isPresent("org.springframework.web.context.request.RequestContextHolder");

	private static final boolean SECURITY = isPresent(
			"org.springframework.security.core.context.SecurityContextHolder");

	private final BeanFactory beans;

	CallerPresence(BeanFactory beans) {
		this.beans = beans;
	}

	private static boolean isPresent(String className) {
		return ClassUtils.isPresent(className, CallerPresence.class.getClassLoader());
	}

	@Override
	public boolean getAsBoolean() {
		return (WEB && Web.hasRequest()) || (SECURITY && Security.isAnonymous(this.beans));
	}

	private static final class Web {

		static boolean hasRequest() {
			return RequestContextHolder.getRequestAttributes() != null;
		}

	}

	private static final class Security {

		static boolean isAnonymous(BeanFactory beans) {
			SecurityContextHolderStrategy holder = beans.getBeanProvider(SecurityContextHolderStrategy.class)
				.getIfUnique(SecurityContextHolder::getContextHolderStrategy);
			return holder.getContext().getAuthentication() instanceof AnonymousAuthenticationToken;
		}

	}

}
