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

import java.util.Locale;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

/**
 * The response of an included resource, which ignores all changes of its head (Servlet
 * 6.1 section 9.3).
 */
final class IncludedResponse extends ResponseShorthands {

	IncludedResponse(HttpServletResponse including) {
		super(including);
	}

	@Override
	public void setContentType(@Nullable String type) {
	}

	@Override
	public void setLocale(@Nullable Locale locale) {
	}

	@Override
	public void setCharacterEncoding(@Nullable String encoding) {
	}

	@Override
	public void addCookie(Cookie cookie) {
	}

	@Override
	public void setHeader(String name, @Nullable String value) {
	}

	@Override
	public void addHeader(String name, @Nullable String value) {
	}

	@Override
	public void setStatus(int status) {
	}

	@Override
	public void sendError(int status, @Nullable String message) {
	}

	@Override
	public void sendRedirect(String location, int status, boolean clearBuffer) {
	}

	@Override
	public void reset() {
	}

}
