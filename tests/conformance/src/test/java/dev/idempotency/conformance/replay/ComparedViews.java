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
package dev.idempotency.conformance.replay;

import java.io.IOException;
import java.util.Map;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.view.AbstractView;

/**
 * A page, and an interceptor that has a say in every page.
 */
@Configuration(proxyBeanMethods = false)
class ComparedViews implements WebMvcConfigurer {

	@Bean({ "greeting", "plain/view-default", "kept/view-default", "leased/view-default" })
	View greeting() {
		return new Greeting();
	}

	@Override
	public void addInterceptors(InterceptorRegistry registry) {
		registry.addInterceptor(new HandlerInterceptor() {

			@Override
			public void postHandle(HttpServletRequest request, HttpServletResponse response, Object handler,
					@Nullable ModelAndView view) {
				if (request.getQueryString() != null && request.getDispatcherType() == DispatcherType.REQUEST) {
					throw new ResponseStatusException(HttpStatus.GONE);
				}
				if (view != null) {
					view.addObject("site", "page of the interceptor");
				}
			}

		});
	}

	private static final class Greeting extends AbstractView {

		@Override
		protected void renderMergedOutputModel(Map<String, Object> model, HttpServletRequest request,
				HttpServletResponse response) throws IOException {
			response.setContentType("text/html;charset=UTF-8");
			response.setHeader("X-View", "greeting");
			response.getWriter().print("Hello " + model.get("name") + ", from " + model.get("site"));
		}

	}

}
