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
package dev.idempotency.conformance.request;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import jakarta.servlet.http.HttpServletRequest;
import org.apache.commons.fileupload2.core.DiskFileItem;
import org.apache.commons.fileupload2.core.DiskFileItemFactory;
import org.apache.commons.fileupload2.jakarta.servlet6.JakartaServletDiskFileUpload;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;
import org.springframework.util.StringUtils;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.multipart.MultipartException;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.multipart.MultipartHttpServletRequest;
import org.springframework.web.multipart.MultipartResolver;
import org.springframework.web.multipart.support.DefaultMultipartHttpServletRequest;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Multipart;
import dev.idempotency.conformance.app.Readers;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Responses.assertOriginal;
import static dev.idempotency.conformance.app.Responses.assertProblem;
import static dev.idempotency.conformance.app.Responses.assertReplay;
import static dev.idempotency.conformance.app.Responses.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Multipart bodies that the application reads with a parser of its own: the container
 * finds no parts.
 */
@Tag("F19")
class MultipartResolverTests {

	private static RunningApplication application;

	private final String key = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		application = RunningApplication.start(Kept.class);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	void aChangedFileIsAnotherRequest() {
		HttpResponse<byte[]> first = send("files", parts("one").file("file", "f", "text/plain", "PAY 1".getBytes()));
		assertOriginal(first, 200);
		assertThat(text(first)).isEqualTo("f PAY 1 1");
		assertReplay(send("files", parts("two").file("file", "f", "text/plain", "PAY 1".getBytes())), first);
		for (Multipart other : List.of(parts("one").file("file", "f", "text/plain", "PAY 9999".getBytes()),
				parts("one").file("file", "g", "text/plain", "PAY 1".getBytes()),
				parts("one").file("file", "f", "text/csv", "PAY 1".getBytes()),
				parts("one").field("more", "1").file("file", "f", "text/plain", "PAY 1".getBytes()))) {
			assertProblem(send("files", other), 422, "key-reused");
		}
	}

	@Test
	void aBodyOfFieldsOnlyCountsByThem() {
		HttpResponse<byte[]> first = send("parameters", parts("one"));
		assertThat(text(first)).isEqualTo("a[1]");
		assertReplay(send("parameters", parts("two")), first);
		assertProblem(send("parameters", new Multipart("one").field("a", "2")), 422, "key-reused");
	}

	private static Multipart parts(String boundary) {
		return new Multipart(boundary).field("a", "1");
	}

	private HttpResponse<byte[]> send(String reader, Multipart parts) {
		return application.send(application.request(ALICE, "/kept/" + reader)
			.header("Content-Type", parts.contentType())
			.header("Idempotency-Key", this.key)
			.POST(BodyPublishers.fromPublisher(BodyPublishers.ofByteArray(parts.body()))));
	}

	@RestController
	@Idempotent
	@RequestMapping("/kept")
	static class Kept extends Readers {

		@Bean
		static MultipartResolver multipartResolver() {
			return new CommonsResolver();
		}

	}

	/**
	 * A resolver as applications write it.
	 */
	private static final class CommonsResolver implements MultipartResolver {

		@Override
		public boolean isMultipart(HttpServletRequest request) {
			return StringUtils.startsWithIgnoreCase(request.getContentType(), "multipart/");
		}

		@Override
		public MultipartHttpServletRequest resolveMultipart(HttpServletRequest request) {
			MultiValueMap<String, MultipartFile> files = new LinkedMultiValueMap<>();
			MultiValueMap<String, String> fields = new LinkedMultiValueMap<>();
			try {
				for (DiskFileItem item : new JakartaServletDiskFileUpload(DiskFileItemFactory.builder().get())
					.parseRequest(request)) {
					if (item.isFormField()) {
						fields.add(item.getFieldName(), item.getString());
					}
					else {
						files.add(item.getFieldName(), new CommonsFile(item));
					}
				}
			}
			catch (IOException ex) {
				throw new MultipartException("The body is malformed", ex);
			}
			Map<String, String[]> parameters = new HashMap<>();
			fields.forEach((name, values) -> parameters.put(name, values.toArray(String[]::new)));
			return new DefaultMultipartHttpServletRequest(request, files, parameters, Map.of());
		}

		@Override
		public void cleanupMultipart(MultipartHttpServletRequest request) {
		}

	}

	/**
	 * A file of that parser.
	 *
	 * @param item the part
	 */
	private record CommonsFile(DiskFileItem item) implements MultipartFile {

		@Override
		public String getName() {
			return this.item.getFieldName();
		}

		@Override
		public @Nullable String getOriginalFilename() {
			return this.item.getName();
		}

		@Override
		public @Nullable String getContentType() {
			return this.item.getContentType();
		}

		@Override
		public boolean isEmpty() {
			return this.item.getSize() == 0;
		}

		@Override
		public long getSize() {
			return this.item.getSize();
		}

		@Override
		public byte[] getBytes() throws IOException {
			return this.item.get();
		}

		@Override
		public InputStream getInputStream() throws IOException {
			return this.item.getInputStream();
		}

		@Override
		public void transferTo(File target) throws IOException {
			this.item.write(target.toPath());
		}

	}

}
