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
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.access.WebInvocationPrivilegeEvaluator;
import org.springframework.security.web.servletapi.SecurityContextHolderAwareRequestWrapper;

/**
 * The rules that Spring Security has for paths, and its principal.
 *
 * @param rules the rules, all of which have to allow the request
 * @param rolePrefix what the names of roles begin with
 */
public record SpringCommandSecurity(List<WebInvocationPrivilegeEvaluator> rules,
		String rolePrefix) implements CommandSecurity {

	@Override
	public HttpServletRequest secure(HttpServletRequest request) {
		Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
		String path = request.getRequestURI().substring(request.getContextPath().length());
		for (WebInvocationPrivilegeEvaluator rule : this.rules) {
			if (!rule.isAllowed(request.getContextPath(), path, request.getMethod(), authentication)) {
				throw new AccessDeniedException("The account may not send this request any more");
			}
		}
		return new SecurityContextHolderAwareRequestWrapper(request, this.rolePrefix);
	}

}
