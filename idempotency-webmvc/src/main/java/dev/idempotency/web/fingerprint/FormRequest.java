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
package dev.idempotency.web.fingerprint;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import dev.idempotency.web.recovery.BufferedRequest;

/**
 * A form whose body is in memory: its fields can be read as parameters, as the container
 * would give them, and its bytes as a body.
 */
final class FormRequest extends BufferedRequest {

	private final Map<String, String[]> parameters;

	/**
	 * Creates a request.
	 * @param request the request, whose parameters are those of the query alone
	 * @param content the body
	 * @param fields the fields in the body
	 */
	FormRequest(HttpServletRequest request, byte[] content, Map<String, List<String>> fields) {
		super(request, content);
		Map<String, String[]> all = new LinkedHashMap<>(request.getParameterMap());
		fields.forEach((name, values) -> all.merge(name, values.toArray(new String[0]), FormRequest::concat));
		this.parameters = Collections.unmodifiableMap(all);
	}

	/**
	 * The values of the query come before those of the body (Servlet 6.1 section 3.1).
	 */
	private static String[] concat(String[] query, String[] body) {
		List<String> values = new ArrayList<>(List.of(query));
		values.addAll(List.of(body));
		return values.toArray(new String[0]);
	}

	@Override
	public @Nullable String getParameter(String name) {
		String[] values = this.parameters.get(name);
		return (values != null) ? values[0] : null;
	}

	@Override
	public Map<String, String[]> getParameterMap() {
		return this.parameters;
	}

	@Override
	public Enumeration<String> getParameterNames() {
		return Collections.enumeration(this.parameters.keySet());
	}

	@Override
	public String @Nullable [] getParameterValues(String name) {
		String[] values = this.parameters.get(name);
		return (values != null) ? values.clone() : null;
	}

}
