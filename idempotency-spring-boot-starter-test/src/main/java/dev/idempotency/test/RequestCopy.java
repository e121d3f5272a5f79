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

import jakarta.servlet.ServletException;
import jakarta.servlet.http.Part;

import org.springframework.beans.BeanUtils;
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
		for (String name : Collections.list(request.getHeaderNames())) {
			Collections.list(request.getHeaders(name)).forEach((value) -> copy.addHeader(name, value));
		}
		BeanUtils.copyProperties(request, copy);
		copy.setCharacterEncoding(request.getCharacterEncoding());
		copy.setPreferredLocales(Collections.list(request.getLocales()));
		copy.setContent(request.getContentAsByteArray());
		copy.setParameters(request.getParameterMap());
		copyParts(request, copy);
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

	private static void copyParts(MockHttpServletRequest request, MockHttpServletRequest copy) {
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
