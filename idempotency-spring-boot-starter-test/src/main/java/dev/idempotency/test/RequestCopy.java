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
package dev.idempotency.test;

import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.Part;

import org.springframework.http.HttpHeaders;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockMultipartHttpServletRequest;
import org.springframework.web.multipart.MultipartFile;

/**
 * Copies a request that has not been processed yet.
 */
final class RequestCopy {

	private RequestCopy() {
	}

	static MockHttpServletRequest of(MockHttpServletRequest request) {
		MockHttpServletRequest copy = empty(request);
		copyTarget(request, copy);
		copyHeaders(request, copy);
		copy.setContent(request.getContentAsByteArray());
		copy.setCharacterEncoding(request.getCharacterEncoding());
		copy.setParameters(request.getParameterMap());
		copyCaller(request, copy);
		for (String name : Collections.list(request.getAttributeNames())) {
			copy.setAttribute(name, request.getAttribute(name));
		}
		return copy;
	}

	private static MockHttpServletRequest empty(MockHttpServletRequest request) {
		if (!(request instanceof MockMultipartHttpServletRequest multipart)) {
			return new MockHttpServletRequest(request.getServletContext());
		}
		MockMultipartHttpServletRequest copy = new MockMultipartHttpServletRequest(request.getServletContext());
		for (List<MultipartFile> files : multipart.getMultiFileMap().values()) {
			files.forEach(copy::addFile);
		}
		return copy;
	}

	private static void copyTarget(MockHttpServletRequest request, MockHttpServletRequest copy) {
		copy.setMethod(Objects.requireNonNull(request.getMethod()));
		copy.setScheme(request.getScheme());
		copy.setServerName(request.getServerName());
		copy.setServerPort(request.getServerPort());
		copy.setSecure(request.isSecure());
		copy.setRequestURI(request.getRequestURI());
		copy.setContextPath(request.getContextPath());
		copy.setServletPath(request.getServletPath());
		copy.setPathInfo(request.getPathInfo());
		copy.setQueryString(request.getQueryString());
	}

	private static void copyHeaders(MockHttpServletRequest request, MockHttpServletRequest copy) {
		for (String name : Collections.list(request.getHeaderNames())) {
			if (!name.equalsIgnoreCase(HttpHeaders.COOKIE)) {
				Collections.list(request.getHeaders(name)).forEach((value) -> copy.addHeader(name, value));
			}
		}
		Cookie[] cookies = request.getCookies();
		if (cookies != null) {
			copy.setCookies(cookies);
		}
	}

	private static void copyCaller(MockHttpServletRequest request, MockHttpServletRequest copy) {
		copy.setSession(Objects.requireNonNull(request.getSession(true)));
		copy.setUserPrincipal(request.getUserPrincipal());
		copy.setRemoteUser(request.getRemoteUser());
		copy.setAuthType(request.getAuthType());
		copy.setRemoteAddr(request.getRemoteAddr());
		copy.setRemoteHost(request.getRemoteHost());
		copy.setPreferredLocales(Collections.list(request.getLocales()));
		try {
			for (Part part : request.getParts()) {
				copy.addPart(part);
			}
		}
		catch (IOException | ServletException ex) {
			throw new IllegalStateException("A request of MockMvc has its parts", ex);
		}
	}

}
