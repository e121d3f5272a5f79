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
package dev.idempotency.sample.demo;

import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.RequestAttributes;

/**
 * Faults that a request can ask for, in its header {@code Demo-Fault}.
 */
enum DemoFault {

	/**
	 * The request is served completely, and the connection is closed instead of the first
	 * byte of the answer. Not for asynchronous answers.
	 */
	CUT_AFTER_COMMIT("cut-after-commit"),

	/**
	 * The handler of a ride dies when the provider has made the charge before a node has
	 * recorded it. The connection is closed.
	 */
	KILL_AFTER_CHARGE("kill-after-charge");

	/**
	 * The name of the request header.
	 */
	static final String HEADER = "Demo-Fault";

	private static final String ATTRIBUTE = DemoFault.class.getName();

	private final String value;

	DemoFault(String value) {
		this.value = value;
	}

	/**
	 * Returns the fault that a request asks for.
	 * @return the fault, {@code null} if there is none of that name
	 */
	static @Nullable DemoFault askedFor(HttpServletRequest request) {
		String asked = request.getHeader(HEADER);
		for (DemoFault fault : values()) {
			if (fault.value.equals(asked)) {
				return fault;
			}
		}
		return null;
	}

	void bindTo(ServletRequest request) {
		request.setAttribute(ATTRIBUTE, this);
	}

	boolean isBoundTo(RequestAttributes request) {
		return request.getAttribute(ATTRIBUTE, RequestAttributes.SCOPE_REQUEST) == this;
	}

}
