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

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

import jakarta.servlet.http.HttpServletResponse;

/**
 * A response that delegates everything to another, and cannot be unwrapped.
 */
final class OpaqueResponse {

	private OpaqueResponse() {
	}

	static HttpServletResponse of(HttpServletResponse response) {
		return (HttpServletResponse) Proxy.newProxyInstance(HttpServletResponse.class.getClassLoader(),
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
