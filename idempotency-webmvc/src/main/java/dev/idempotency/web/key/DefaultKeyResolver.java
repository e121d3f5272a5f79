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
package dev.idempotency.web.key;

import java.util.Collections;
import java.util.List;
import java.util.Locale;

import jakarta.servlet.http.HttpServletRequest;

import org.springframework.http.MediaType;

/**
 * The key from the request header, or from the hidden field of an HTML form: of its body,
 * because queries are in access logs and in the Referer of other requests.
 */
final class DefaultKeyResolver implements KeyResolver {

	private final String header;

	private final String formField;

	public DefaultKeyResolver(String header, String formField) {
		this.header = header;
		this.formField = formField;
	}

	@Override
	public List<String> resolve(HttpServletRequest request) {
		List<String> lines = Collections.list(request.getHeaders(this.header));
		if (!lines.isEmpty() || !isForm(request)) {
			return lines;
		}
		return FormFields.bodyValues(request, this.formField);
	}

	/**
	 * Returns whether a form field carries the key, in the absence of a header.
	 */
	boolean isField(HttpServletRequest request) {
		return request.getHeader(this.header) == null && isForm(request);
	}

	/**
	 * Names the actual or expected place of the key of a request.
	 */
	String place(HttpServletRequest request) {
		return isField(request) ? "form field " + this.formField : this.header + " header";
	}

	private static boolean isForm(HttpServletRequest request) {
		String type = request.getContentType();
		if (type == null) {
			return false;
		}
		String lowerCase = type.toLowerCase(Locale.ROOT);
		return lowerCase.startsWith(MediaType.APPLICATION_FORM_URLENCODED_VALUE)
				|| lowerCase.startsWith(MediaType.MULTIPART_FORM_DATA_VALUE);
	}

}
