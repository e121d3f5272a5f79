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
package dev.idempotency.conformance.app;

import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpEntity;
import org.springframework.util.FileCopyUtils;
import org.springframework.util.MultiValueMap;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RequestPart;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.multipart.MultipartFile;

/**
 * The ways in which a handler can read its request. Mapped twice, protected and not, for
 * the two to be compared. Each returns what it has read.
 */
public abstract class Readers {

	@Autowired
	private HttpServletRequest request;

	@PostMapping("/json")
	public String json(@RequestBody Map<String, Object> body) {
		return new TreeMap<>(body).toString();
	}

	@PostMapping("/string")
	public String string(@RequestBody(required = false) @Nullable String body) {
		return "body " + body;
	}

	@PostMapping("/entity")
	public String entity(HttpEntity<byte[]> entity) {
		byte[] body = entity.getBody();
		return entity.getHeaders().getContentType() + " "
				+ HexFormat.of().formatHex((body != null) ? body : new byte[0]);
	}

	@PostMapping("/stream")
	public String stream(InputStream body) throws IOException {
		return HexFormat.of().formatHex(body.readAllBytes());
	}

	@PostMapping("/reader")
	public String reader(Reader body) throws IOException {
		return FileCopyUtils.copyToString(body);
	}

	@PostMapping("/servlet-stream")
	public String servletStream(HttpServletRequest request) throws IOException {
		byte[] part = new byte[2];
		int read = request.getInputStream().read(part);
		return read + " " + HexFormat.of().formatHex(request.getInputStream().readAllBytes())
				+ request.getInputStream().isFinished();
	}

	@PostMapping("/injected-stream")
	public String injectedStream() throws IOException {
		return HexFormat.of().formatHex(this.request.getInputStream().readAllBytes());
	}

	@PostMapping("/injected-reader")
	public String injectedReader() throws IOException {
		return FileCopyUtils.copyToString(this.request.getReader());
	}

	@PostMapping("/parameters")
	public String parameters(HttpServletRequest request) {
		return toString(request);
	}

	@PostMapping("/injected-parameters")
	public String injectedParameters() {
		return toString(this.request);
	}

	@PostMapping("/bound-parameters")
	public String boundParameters() {
		return toString(((ServletRequestAttributes) RequestContextHolder.currentRequestAttributes()).getRequest());
	}

	@PostMapping("/parameters-then-stream")
	public String parametersThenStream(HttpServletRequest request) throws IOException {
		return request.getParameter("a") + " " + request.getInputStream().readAllBytes().length;
	}

	@PostMapping("/request-param")
	public String requestParam(@RequestParam String a, @RequestParam(required = false) String @Nullable [] b) {
		return a + " " + Arrays.toString(b);
	}

	@PostMapping("/model-attribute")
	public String modelAttribute(@ModelAttribute Order order) {
		return order.toString();
	}

	@PostMapping("/form-body")
	public String formBody(@RequestBody MultiValueMap<String, String> form) {
		return new TreeMap<>(form).toString();
	}

	@PostMapping("/parts")
	public String parts(HttpServletRequest request) throws IOException, ServletException {
		StringBuilder all = new StringBuilder();
		for (var part : request.getParts()) {
			all.append(part.getName()).append(' ').append(part.getSubmittedFileName()).append(' ');
			all.append(HexFormat.of().formatHex(part.getInputStream().readAllBytes())).append('\n');
		}
		return all.toString();
	}

	@PostMapping("/files")
	public String files(@RequestPart MultipartFile file, @RequestParam String a) throws IOException {
		return file.getOriginalFilename() + " " + new String(file.getBytes(), StandardCharsets.UTF_8) + " " + a;
	}

	private static String toString(HttpServletRequest request) {
		return request.getParameterMap()
			.entrySet()
			.stream()
			.map((entry) -> entry.getKey() + Arrays.toString(request.getParameterValues(entry.getKey())))
			.sorted()
			.collect(Collectors.joining(" "));
	}

	/**
	 * The object that a form is bound to.
	 *
	 * @param a a field
	 * @param b another
	 */
	public record Order(@Nullable String a, @Nullable String b) {
	}

}
