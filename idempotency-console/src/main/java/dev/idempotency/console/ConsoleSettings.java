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
package dev.idempotency.console;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.web.ExposableWebEndpoint;
import org.springframework.boot.actuate.endpoint.web.WebEndpointHttpMethod;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;

/**
 * The settings of the page.
 *
 * @param operator the name under which actions are logged, {@code null} if the operator
 * has none
 * @param csrf the headers by which the application recognizes actions of its pages, empty
 * if it asks for none
 * @param endpoints the endpoints that are exposed, by their ids
 * @param features the ids of the endpoints, exposed or not, whose feature the application
 * has
 */
record ConsoleSettings(@Nullable String operator, Map<String, String> csrf, Map<String, Endpoint> endpoints,
		Set<String> features) implements OperationResponseBody {

	/**
	 * Creates settings with the exposed endpoints.
	 */
	static ConsoleSettings of(@Nullable String operator, Map<String, String> csrf, WebEndpointsSupplier exposed,
			Set<String> features) {
		String up = "../".repeat((int) rootPath(exposed).chars().filter((character) -> character == '/').count());
		Map<String, Endpoint> endpoints = new TreeMap<>();
		for (ExposableWebEndpoint endpoint : exposed.getEndpoints()) {
			String id = endpoint.getEndpointId().toLowerCaseString();
			if (id.startsWith("idempotency") || id.equals("metrics")) {
				boolean writable = endpoint.getOperations()
					.stream()
					.anyMatch((operation) -> operation.getRequestPredicate()
						.getHttpMethod() == WebEndpointHttpMethod.POST);
				endpoints.put(id, new Endpoint(up + endpoint.getRootPath(), writable));
			}
		}
		return new ConsoleSettings(operator, csrf, endpoints, features);
	}

	/**
	 * Returns the path of the page below the base path of the actuator.
	 */
	static String rootPath(WebEndpointsSupplier exposed) {
		return exposed.getEndpoints()
			.stream()
			.filter((endpoint) -> endpoint.getEndpointId().toLowerCaseString().equals(IdempotencyConsoleEndpoint.ID))
			.map(ExposableWebEndpoint::getRootPath)
			.findFirst()
			.orElse(IdempotencyConsoleEndpoint.ID);
	}

	/**
	 * An endpoint.
	 *
	 * @param path its path, relative to the page
	 * @param writable whether it has operations that change something
	 */
	record Endpoint(String path, boolean writable) implements OperationResponseBody {
	}

}
