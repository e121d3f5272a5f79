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

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletResponse;

/**
 * A forward into a captured response. Tomcat ends a forward by closing the innermost
 * response that it can unwrap, and nothing could be released to that one afterwards: so
 * it is given one that cannot be unwrapped.
 *
 * @param dispatcher the container's dispatcher
 */
record CapturedForward(RequestDispatcher dispatcher) implements RequestDispatcher {

	@Override
	public void forward(ServletRequest request, ServletResponse response) throws ServletException, IOException {
		this.dispatcher.forward(request, sealed(response));
	}

	@Override
	public void include(ServletRequest request, ServletResponse response) throws ServletException, IOException {
		this.dispatcher.include(request, response);
	}

	private static ServletResponse sealed(ServletResponse response) {
		return (ServletResponse) Proxy.newProxyInstance(CapturedForward.class.getClassLoader(),
				new Class<?>[] { HttpServletResponse.class }, (proxy, method, arguments) -> {
					try {
						return method.invoke(response, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

}
