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
package dev.idempotency.web.capture;

import java.lang.reflect.Proxy;

import jakarta.servlet.ServletResponse;
import jakarta.servlet.ServletResponseWrapper;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.aop.support.AopUtils;

/**
 * Responses of Tomcat, which looks for its own through all wrappers.
 */
final class TomcatResponses {

	private TomcatResponses() {
	}

	/**
	 * Hides a response of Tomcat behind the interface; another is returned unchanged.
	 */
	static ServletResponse hide(ServletResponse response) {
		return isOfTomcat(response) ? opaque(response) : response;
	}

	private static boolean isOfTomcat(ServletResponse response) {
		ServletResponse own = response;
		while (own instanceof ServletResponseWrapper wrapper) {
			own = wrapper.getResponse();
		}
		return own.getClass().getName().startsWith("org.apache.catalina.");
	}

	private static ServletResponse opaque(ServletResponse response) {
		return (ServletResponse) Proxy.newProxyInstance(HttpServletResponse.class.getClassLoader(),
				new Class<?>[] { HttpServletResponse.class }, (proxy, method, arguments) -> AopUtils
					.invokeJoinpointUsingReflection(response, method, (arguments != null) ? arguments : new Object[0]));
	}

}
