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

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.HttpMethod;
import org.springframework.http.server.PathContainer;
import org.springframework.web.servlet.support.RequestDataValueProcessor;
import org.springframework.web.util.ServletRequestPathUtils;

import dev.idempotency.web.endpoint.EndpointRegistry;
import dev.idempotency.web.key.KeyReader;

/**
 * A processor that adds a fresh key to each form that is submitted to a protected
 * handler, as a hidden field. It works with everything that renders forms through
 * Spring's {@link RequestDataValueProcessor}: Thymeleaf's {@code th:action}, the form tag
 * of JSP, FreeMarker's macros. Another processor, such as Spring Security's, is called as
 * well.
 */
public final class FormKeyProcessor implements RequestDataValueProcessor {

	private static final String PROTECTED = FormKeyProcessor.class.getName() + ".PROTECTED";

	private final @Nullable RequestDataValueProcessor other;

	private final ObjectProvider<EndpointRegistry> endpoints;

	/**
	 * Creates a processor.
	 * @param other the processor to call first, {@code null} for none
	 * @param endpoints the protected handlers, looked up when the first form is rendered
	 */
	public FormKeyProcessor(@Nullable RequestDataValueProcessor other, ObjectProvider<EndpointRegistry> endpoints) {
		this.other = other;
		this.endpoints = endpoints;
	}

	@Override
	public String processAction(HttpServletRequest request, String action, @Nullable String httpMethod) {
		if (isSubmitted(httpMethod) && isProtected(request, action)) {
			request.setAttribute(PROTECTED, true);
		}
		else {
			request.removeAttribute(PROTECTED);
		}
		return (this.other != null) ? this.other.processAction(request, action, String.valueOf(httpMethod)) : action;
	}

	/**
	 * A form without a method is a GET, whose fields are in its address.
	 */
	private static boolean isSubmitted(@Nullable String httpMethod) {
		return httpMethod != null && !httpMethod.isEmpty()
				&& !HttpMethod.GET.matches(httpMethod.toUpperCase(Locale.ROOT));
	}

	private boolean isProtected(HttpServletRequest request, String action) {
		try {
			URI target = target(request, action);
			if (target.isAbsolute() || target.getRawAuthority() != null) {
				return false;
			}
			String path = target.getRawPath();
			String prefix = prefix(request);
			return path.startsWith(prefix)
					&& this.endpoints.getObject().isProtected(PathContainer.parsePath(path.substring(prefix.length())));
		}
		catch (IllegalArgumentException ex) {
			return false;
		}
	}

	/**
	 * Resolves an action. Without a path it refers to this page, unlike in
	 * {@link URI#resolve}.
	 */
	private static URI target(HttpServletRequest request, String action) {
		URI page = URI.create(page(request));
		return (action.isEmpty() || action.startsWith("?") || action.startsWith("#")) ? page : page.resolve(action);
	}

	/**
	 * Returns the address that the browser shows: a JSP is rendered under the address of
	 * its view.
	 */
	private static String page(HttpServletRequest request) {
		Object forwarded = request.getAttribute(RequestDispatcher.FORWARD_REQUEST_URI);
		return (forwarded instanceof String uri) ? uri : request.getRequestURI();
	}

	/**
	 * Returns the context path, followed by the servlet's path if it has one.
	 */
	private static String prefix(HttpServletRequest request) {
		return ServletRequestPathUtils.hasParsedRequestPath(request)
				? ServletRequestPathUtils.getParsedRequestPath(request).contextPath().value()
				: request.getContextPath();
	}

	@Override
	public String processFormFieldValue(HttpServletRequest request, @Nullable String name, String value, String type) {
		return (this.other != null) ? this.other.processFormFieldValue(request, name, value, type) : value;
	}

	@Override
	public @Nullable Map<String, String> getExtraHiddenFields(HttpServletRequest request) {
		Map<String, String> others = (this.other != null) ? this.other.getExtraHiddenFields(request) : null;
		if (request.getAttribute(PROTECTED) == null) {
			return others;
		}
		request.removeAttribute(PROTECTED);
		Map<String, String> fields = (others != null) ? new LinkedHashMap<>(others) : new LinkedHashMap<>();
		fields.put(KeyReader.FORM_FIELD, UUID.randomUUID().toString());
		return fields;
	}

	@Override
	public String processUrl(HttpServletRequest request, String url) {
		return (this.other != null) ? this.other.processUrl(request, url) : url;
	}

}
