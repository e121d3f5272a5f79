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
package dev.idempotency.web.problem;

import java.util.List;
import java.util.function.Predicate;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;

import org.springframework.http.HttpHeaders;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;

/**
 * Recognises the requests of a person in a browser, for whom an error is a page.
 */
final class BrowserRequest {

	private BrowserRequest() {
	}

	/**
	 * Returns whether the answer to an error is the application's error page: a page is
	 * named among the accepted types and JSON is not, or less so. An error page itself
	 * gets none.
	 */
	static boolean wantsErrorPage(HttpServletRequest request) {
		String accept = request.getHeader(HttpHeaders.ACCEPT);
		if (accept == null || request.getDispatcherType() == DispatcherType.ERROR) {
			return false;
		}
		try {
			List<MediaType> accepted = MediaType.parseMediaTypes(accept);
			return quality(accepted, BrowserRequest::isPage) > quality(accepted, BrowserRequest::isJson);
		}
		catch (InvalidMediaTypeException ex) {
			return false;
		}
	}

	private static double quality(List<MediaType> accepted, Predicate<MediaType> kind) {
		return accepted.stream().filter(kind).mapToDouble(MediaType::getQualityValue).max().orElse(0);
	}

	private static boolean isPage(MediaType type) {
		return type.equalsTypeAndSubtype(MediaType.TEXT_HTML)
				|| type.equalsTypeAndSubtype(MediaType.APPLICATION_XHTML_XML);
	}

	private static boolean isJson(MediaType type) {
		return type.equalsTypeAndSubtype(MediaType.APPLICATION_JSON) || "json".equals(type.getSubtypeSuffix());
	}

}
