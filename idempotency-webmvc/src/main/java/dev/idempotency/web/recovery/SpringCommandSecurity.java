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
package dev.idempotency.web.recovery;

import java.util.List;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authorization.AuthorizationResult;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolderStrategy;
import org.springframework.security.web.FilterChainProxy;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.access.intercept.AuthorizationFilter;
import org.springframework.security.web.debug.DebugFilter;
import org.springframework.security.web.servletapi.SecurityContextHolderAwareRequestWrapper;

import dev.idempotency.exception.SenderRefusedException;

/**
 * The rules of Spring Security for requests, and its principal. The rules see the request
 * itself: a {@code WebInvocationPrivilegeEvaluator} would show them a request with only
 * method and path, and fails if a rule needs more, such as
 * {@code dispatcherTypeMatchers}.
 * <p>
 * Rules that cannot be found do not grant access. Every stored request is refused by a
 * filter that hides its chains, and by a chain without Spring Security's own
 * authorization in which something else may decide.
 */
public final class SpringCommandSecurity implements CommandSecurity {

	private static final String SPRING = "org.springframework.";

	private final @Nullable Filter filter;

	private final String rolePrefix;

	private final SecurityContextHolderStrategy holder;

	/**
	 * Creates the security.
	 * @param filter the filter of Spring Security, {@code null} if the application has
	 * none
	 * @param rolePrefix the prefix of the names of roles
	 * @param holder the strategy that holds the sender
	 */
	public SpringCommandSecurity(@Nullable Filter filter, String rolePrefix, SecurityContextHolderStrategy holder) {
		this.filter = filter;
		this.rolePrefix = rolePrefix;
		this.holder = holder;
	}

	@Override
	public HttpServletRequest secure(HttpServletRequest request) {
		SecurityContextHolderAwareRequestWrapper secured = new SecurityContextHolderAwareRequestWrapper(request,
				this.rolePrefix);
		secured.setSecurityContextHolderStrategy(this.holder);
		chains().stream()
			.filter((chain) -> chain.matches(secured))
			.findFirst()
			.ifPresent((chain) -> authorize(chain, secured));
		return secured;
	}

	private List<SecurityFilterChain> chains() {
		if (this.filter == null) {
			return List.of();
		}
		Object target = AopProxyUtils.getSingletonTarget(this.filter);
		Object found = (target != null) ? target : this.filter;
		if (found instanceof DebugFilter debug) {
			return debug.getFilterChainProxy().getFilterChains();
		}
		if (found instanceof FilterChainProxy proxy) {
			return proxy.getFilterChains();
		}
		throw new SenderRefusedException("The bean springSecurityFilterChain is a " + found.getClass().getName()
				+ ", whose rules cannot be evaluated for the sender. "
				+ "Let that bean be Spring Security's FilterChainProxy, or set idempotency.completer.enabled=false.");
	}

	private void authorize(SecurityFilterChain chain, HttpServletRequest request) {
		List<AuthorizationFilter> rules = chain.getFilters()
			.stream()
			.filter(AuthorizationFilter.class::isInstance)
			.map(AuthorizationFilter.class::cast)
			.toList();
		if (rules.isEmpty()) {
			requireNothingHidden(chain);
		}
		Authentication authentication = this.holder.getContext().getAuthentication();
		for (AuthorizationFilter rule : rules) {
			AuthorizationResult result = rule.getAuthorizationManager().authorize(() -> authentication, request);
			if (result != null && !result.isGranted()) {
				throw new AccessDeniedException("The account may no longer send this request");
			}
		}
	}

	private static void requireNothingHidden(SecurityFilterChain chain) {
		for (Filter filter : chain.getFilters()) {
			String name = filter.getClass().getName();
			if (!name.startsWith(SPRING) || name.endsWith(".FilterSecurityInterceptor")) {
				throw new SenderRefusedException("The security filter chain of the request has no AuthorizationFilter, "
						+ "and may decide with its " + name + ", which cannot be evaluated. "
						+ "Write its rules with authorizeHttpRequests, or set idempotency.completer.enabled=false.");
			}
		}
	}

}
