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
import java.util.Locale;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.RequestToViewNameTranslator;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.ViewResolver;
import org.springframework.web.servlet.support.RequestContextUtils;

/**
 * Renders views as the dispatcher servlet would, but within the transaction: the stored
 * answer has to be identical to the one on the wire.
 */
final class ViewRenderer {

	private final ObjectProvider<ViewResolver> resolvers;

	private final ObjectProvider<RequestToViewNameTranslator> translator;

	ViewRenderer(ObjectProvider<ViewResolver> resolvers, ObjectProvider<RequestToViewNameTranslator> translator) {
		this.resolvers = resolvers;
		this.translator = translator;
	}

	public void render(@Nullable ModelAndView view, HttpServletRequest request, HttpServletResponse response)
			throws Exception {
		if (view == null || view.wasCleared()) {
			return;
		}
		Locale locale = RequestContextUtils.getLocale(request);
		response.setLocale(locale);
		HttpStatusCode status = view.getStatus();
		if (status != null) {
			request.setAttribute(View.RESPONSE_STATUS_ATTRIBUTE, status);
			response.setStatus(status.value());
		}
		resolve(view, request, locale).render(view.getModel(), request, response);
	}

	private View resolve(ModelAndView view, HttpServletRequest request, Locale locale) throws Exception {
		View given = view.getView();
		if (given != null) {
			return given;
		}
		String name = (view.getViewName() != null) ? view.getViewName() : defaultName(request);
		if (name != null) {
			for (ViewResolver resolver : resolvers()) {
				View resolved = resolver.resolveViewName(name, locale);
				if (resolved != null) {
					return resolved;
				}
			}
		}
		throw new ServletException("Could not resolve the view '" + name + "'");
	}

	private @Nullable String defaultName(HttpServletRequest request) throws Exception {
		RequestToViewNameTranslator available = this.translator.getIfAvailable();
		return (available != null) ? available.getViewName(request) : null;
	}

	private List<ViewResolver> resolvers() {
		return this.resolvers.orderedStream().toList();
	}

}
