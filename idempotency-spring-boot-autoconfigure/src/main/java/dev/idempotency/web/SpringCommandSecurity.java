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

import java.util.List;

import jakarta.servlet.http.HttpServletRequest;

import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authorization.AuthorizationResult;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.access.intercept.AuthorizationFilter;
import org.springframework.security.web.servletapi.SecurityContextHolderAwareRequestWrapper;

/**
 * The rules that Spring Security has for requests, and its principal. The rules see the
 * request itself: a {@code WebInvocationPrivilegeEvaluator} would show them one that
 * knows nothing but method and path, and fails when a rule asks for more, such as
 * {@code dispatcherTypeMatchers}.
 *
 * @param chains the filters, of which the first chain that matches has the rules
 * @param rolePrefix what the names of roles begin with
 */
public record SpringCommandSecurity(List<SecurityFilterChain> chains, String rolePrefix) implements CommandSecurity {

	@Override
	public HttpServletRequest secure(HttpServletRequest request) {
		HttpServletRequest secured = new SecurityContextHolderAwareRequestWrapper(request, this.rolePrefix);
		this.chains.stream()
			.filter((chain) -> chain.matches(secured))
			.findFirst()
			.ifPresent((chain) -> authorize(chain, secured));
		return secured;
	}

	private static void authorize(SecurityFilterChain chain, HttpServletRequest request) {
		Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
		chain.getFilters()
			.stream()
			.filter(AuthorizationFilter.class::isInstance)
			.map((filter) -> ((AuthorizationFilter) filter).getAuthorizationManager())
			.forEach((rules) -> {
				AuthorizationResult result = rules.authorize(() -> authentication, request);
				if (result != null && !result.isGranted()) {
					throw new AccessDeniedException("The account may not send this request any more");
				}
			});
	}

}
