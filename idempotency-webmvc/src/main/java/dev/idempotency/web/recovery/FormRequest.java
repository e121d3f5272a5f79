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

import java.util.Collections;
import java.util.Enumeration;
import java.util.Map;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * A request whose body is in memory, and may be a form: its fields can be read as
 * parameters, as the container would give them, and its bytes as a body.
 */
public abstract class FormRequest extends BufferedRequest {

	protected FormRequest(HttpServletRequest request, byte[] content) {
		super(request, content);
	}

	/**
	 * The parameters of query and body, asked for when a caller does.
	 */
	protected abstract Map<String, String[]> parameters();

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
