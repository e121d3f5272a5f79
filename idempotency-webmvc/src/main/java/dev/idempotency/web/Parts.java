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
package dev.idempotency.web;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;

import org.springframework.http.MediaType;
import org.springframework.util.StringUtils;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.multipart.MultipartHttpServletRequest;
import org.springframework.web.multipart.support.StandardMultipartHttpServletRequest;
import org.springframework.web.server.UnsupportedMediaTypeStatusException;

import dev.idempotency.web.fingerprint.FingerprintSource.Multipart;
import dev.idempotency.web.fingerprint.FingerprintSource.Part;

/**
 * The parts of a request, as the multipart resolver of the application has found them.
 */
final class Parts {

	private Parts() {
	}

	/**
	 * Returns the files, and the fields that have a media type or, with the container's
	 * own parser, bytes. All other fields are parameters only.
	 */
	static Multipart of(MultipartHttpServletRequest request) throws IOException, ServletException {
		List<Part> parts = new ArrayList<>();
		for (List<MultipartFile> files : request.getMultiFileMap().values()) {
			for (MultipartFile file : files) {
				parts.add(new Part(file.getName(), file.getOriginalFilename(), file.getContentType(), file,
						file.getSize()));
			}
		}
		if (request instanceof StandardMultipartHttpServletRequest) {
			for (jakarta.servlet.http.Part part : request.getParts()) {
				if (part.getSubmittedFileName() == null) {
					parts.add(new Part(part.getName(), null, part.getContentType(), part::getInputStream,
							part.getSize()));
				}
			}
		}
		else {
			request.getParameterMap().forEach((name, values) -> {
				String type = request.getMultipartContentType(name);
				if (type != null && request.getFile(name) == null) {
					for (String value : values) {
						parts.add(field(name, type, value.getBytes(StandardCharsets.UTF_8)));
					}
				}
			});
		}
		return new Multipart(parts);
	}

	private static Part field(String name, String type, byte[] value) {
		return new Part(name, null, type, () -> new ByteArrayInputStream(value), value.length);
	}

	/**
	 * Returns whether the parser of the application has found fields in the body. The
	 * container's fields are parts.
	 */
	static boolean hasFields(MultipartHttpServletRequest request) {
		return !(request instanceof StandardMultipartHttpServletRequest)
				&& request instanceof ServletRequestWrapper wrapper
				&& request.getParameterMap().size() > wrapper.getRequest().getParameterMap().size();
	}

	/**
	 * Refuses a body in which the container has found no parts with names, and which the
	 * handler can no longer read.
	 */
	static void requireForm(HttpServletRequest request) {
		if (!StringUtils.startsWithIgnoreCase(request.getContentType(), MediaType.MULTIPART_FORM_DATA_VALUE)) {
			throw new UnsupportedMediaTypeStatusException(
					"No parts with names were found. For handlers that read such a "
							+ "body as a whole, set spring.servlet.multipart.strict-servlet-compliance=true.");
		}
	}

}
