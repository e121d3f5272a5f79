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

import java.util.Enumeration;
import java.util.Map;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import dev.idempotency.web.recovery.BufferedRequest;

/**
 * A form beyond the container's limits: its bytes can be read, and a caller that asks for
 * a parameter is refused, as by the container.
 */
final class OverfullFormRequest extends BufferedRequest {

	private final RuntimeException refusal;

	OverfullFormRequest(HttpServletRequest request, byte[] content, RuntimeException refusal) {
		super(request, content);
		this.refusal = refusal;
	}

	@Override
	public @Nullable String getParameter(String name) {
		throw this.refusal;
	}

	@Override
	public Map<String, String[]> getParameterMap() {
		throw this.refusal;
	}

	@Override
	public Enumeration<String> getParameterNames() {
		throw this.refusal;
	}

	@Override
	public String @Nullable [] getParameterValues(String name) {
		throw this.refusal;
	}

}
