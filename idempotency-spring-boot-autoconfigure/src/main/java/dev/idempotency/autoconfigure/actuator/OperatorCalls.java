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
package dev.idempotency.autoconfigure.actuator;

import java.security.Principal;
import java.util.HexFormat;
import java.util.regex.Pattern;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;

import dev.idempotency.logging.LogEvent;
import dev.idempotency.store.Identity;

/**
 * The calls of operators: reads their parameters, of which an invalid one is answered
 * with 400, and logs their actions with their names.
 */
final class OperatorCalls {

	/**
	 * Separate, since these are the only lines of the library that name a person.
	 */
	private static final Log logger = LogFactory.getLog("dev.idempotency.audit");

	static final int DEFAULT_LIMIT = 100;

	static final int MAX_LIMIT = 1000;

	private static final Pattern ID = Pattern.compile("[0-9a-fA-F]{64}");

	private static final byte[] ANY_ACCOUNT = {};

	private static final int LONGEST_NAME = 100;

	private OperatorCalls() {
	}

	static int limit(@Nullable Integer limit) {
		if (limit == null) {
			return DEFAULT_LIMIT;
		}
		if (limit < 1 || limit > MAX_LIMIT) {
			throw invalid(new IllegalArgumentException("The limit must be a number from 1 to " + MAX_LIMIT));
		}
		return limit;
	}

	/**
	 * Reads the id of a request.
	 * @return the identity, {@code null} if that is not an id
	 */
	static @Nullable Identity id(String id) {
		return ID.matcher(id).matches() ? new Identity(HexFormat.of().parseHex(id), ANY_ACCOUNT) : null;
	}

	static InvalidEndpointRequestException invalid(IllegalArgumentException cause) {
		String reason = String.valueOf(cause.getMessage());
		return new InvalidEndpointRequestException(reason, reason, cause);
	}

	/**
	 * Retries or discards something, and logs it.
	 * @param operator the operator's call
	 * @param action {@code retry} or {@code discard}
	 * @param subject the object of the action
	 * @param retry puts it back into its queue
	 * @param discard deletes it
	 */
	static void act(SecurityContext operator, String action, String subject, Runnable retry, Runnable discard) {
		try {
			switch (action) {
				case "retry" -> retry.run();
				case "discard" -> discard.run();
				default -> throw new IllegalArgumentException("The action must be retry or discard");
			}
			acted(operator, action + " " + subject, "done");
		}
		catch (IllegalArgumentException ex) {
			throw invalid(ex);
		}
	}

	/**
	 * Logs an attempted action.
	 * @param operator the operator's call
	 * @param action the action and its object
	 * @param result its result
	 */
	static void acted(SecurityContext operator, String action, String result) {
		LogEvent.OPERATOR_ACTED.log(logger, name(operator) + ": " + action + ", " + result);
	}

	/**
	 * Logs that the content of a request is shown, if the result contains it.
	 * @param operator the operator's call
	 * @param found the result of the call
	 */
	static void shown(SecurityContext operator, @Nullable OperationResponseBody found) {
		if (found instanceof RequestView view && view.content() != null) {
			LogEvent.CONTENT_SHOWN.log(logger, name(operator) + ": content of request " + view.id());
		}
	}

	/**
	 * Returns the operator's name, which cannot forge a line of the log.
	 */
	private static String name(SecurityContext operator) {
		Principal principal = operator.getPrincipal();
		String name = (principal != null) ? principal.getName() : null;
		if (name == null || name.isBlank()) {
			return "an operator without a name";
		}
		String line = name.replaceAll("[^\\p{L}\\p{N}\\p{P}\\p{S}\\p{M} ]", "?");
		return "operator '" + line.substring(0, Math.min(line.length(), LONGEST_NAME)) + "'";
	}

}
