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

import java.io.BufferedReader;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import dev.idempotency.web.key.FormFields;

/**
 * Body and parameters of a stored request as the container would give them: a caller that
 * asks for a parameter before the body of a posted form is read causes the form to be
 * read, and finds no body afterwards (Servlet 6.1 section 3.1).
 */
final class CommandBody {

	private static final byte[] READ = {};

	private final HttpServletRequest request;

	private final byte[] content;

	private @Nullable BufferedRequest body;

	private @Nullable Map<String, String[]> parameters;

	CommandBody(HttpServletRequest request, byte[] content) {
		this.request = request;
		this.content = content;
	}

	public ServletInputStream stream() {
		return opened(this.content).getInputStream();
	}

	public BufferedReader reader() {
		return opened(this.content).getReader();
	}

	private BufferedRequest opened(byte[] content) {
		if (this.body == null) {
			this.body = new BufferedRequest(this.request, content);
		}
		return this.body;
	}

	public Map<String, String[]> parameters() {
		if (this.parameters == null) {
			Map<String, List<String>> all = new LinkedHashMap<>();
			String query = this.request.getQueryString();
			if (query != null) {
				add(FormFields.parse(query, StandardCharsets.UTF_8), all);
			}
			if (this.body == null && "POST".equals(this.request.getMethod())
					&& FormFields.isForm(this.request.getContentType())) {
				Charset charset = BufferedRequest.charset(this.request);
				add(FormFields.parse(new String(this.content, charset), charset), all);
				opened(READ);
			}
			Map<String, String[]> arrays = new LinkedHashMap<>();
			all.forEach((name, values) -> arrays.put(name, values.toArray(new String[0])));
			this.parameters = arrays;
		}
		return this.parameters;
	}

	private static void add(Map<String, List<String>> fields, Map<String, List<String>> all) {
		fields.forEach((name, values) -> all.computeIfAbsent(name, (unused) -> new ArrayList<>()).addAll(values));
	}

}
