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
package dev.idempotency.web.recovery;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;
import org.springframework.util.StringUtils;

import dev.idempotency.web.key.FormFields;

/**
 * A request whose body is in memory, and may be a form: its fields can be read as
 * parameters, as the container would provide them, and its bytes as a body.
 */
public final class FormRequest extends BufferedRequest {

	private final Function<FormRequest, Map<String, String[]>> reader;

	private @Nullable Map<String, String[]> parameters;

	/**
	 * Creates a request.
	 * @param request the request
	 * @param content its body
	 * @param reader reads the parameters of query and body when the first is requested
	 */
	public FormRequest(HttpServletRequest request, byte[] content,
			Function<FormRequest, Map<String, String[]>> reader) {
		super(request, content);
		this.reader = reader;
	}

	/**
	 * Creates a stored request with its parameters as the container would provide them: a
	 * caller that asks for a parameter before the body of a posted form is read causes
	 * the form to be read, and finds no body afterwards (Servlet 6.1 section 3.1).
	 */
	static FormRequest stored(HttpServletRequest request, byte[] content) {
		return new FormRequest(request, content, FormRequest::readAsContainer);
	}

	private Map<String, String[]> readAsContainer() {
		MultiValueMap<String, String> all = new LinkedMultiValueMap<>();
		String query = getQueryString();
		if (query != null) {
			all.addAll(FormFields.parse(query.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8));
		}
		if (isUnread() && "POST".equals(getMethod()) && FormFields.isForm(getContentType())) {
			all.addAll(FormFields.parse(take(), charset(this)));
		}
		Map<String, String[]> arrays = new LinkedHashMap<>();
		all.forEach((name, values) -> arrays.put(name, StringUtils.toStringArray(values)));
		return arrays;
	}

	private Map<String, String[]> parameters() {
		if (this.parameters == null) {
			this.parameters = this.reader.apply(this);
		}
		return this.parameters;
	}

	@Override
	public @Nullable String getParameter(String name) {
		String[] values = parameters().get(name);
		return (values != null) ? values[0] : null;
	}

	@Override
	public Map<String, String[]> getParameterMap() {
		return Collections.unmodifiableMap(parameters());
	}

	@Override
	public Enumeration<String> getParameterNames() {
		return Collections.enumeration(parameters().keySet());
	}

	@Override
	public String @Nullable [] getParameterValues(String name) {
		String[] values = parameters().get(name);
		return (values != null) ? values.clone() : null;
	}

}
