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
package dev.idempotency.provider;

import java.io.IOException;

import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.ActionCode;

/**
 * Closes the connection in place of an answer that has not begun. A servlet cannot do
 * that: it always answers.
 */
public final class LostAnswerValve extends ValveBase {

	private static final String LOST = LostAnswerValve.class.getName();

	public LostAnswerValve() {
		super(true);
	}

	/**
	 * Closes the connection of a request when it has been served.
	 * @param request the request, which has not been answered
	 */
	public static void lose(ServletRequest request) {
		request.setAttribute(LOST, true);
	}

	@Override
	public void invoke(Request request, Response response) throws IOException, ServletException {
		getNext().invoke(request, response);
		if (request.getAttribute(LOST) != null) {
			response.getCoyoteResponse().action(ActionCode.CLOSE_NOW, new IOException("The answer is lost on purpose"));
		}
	}

}
