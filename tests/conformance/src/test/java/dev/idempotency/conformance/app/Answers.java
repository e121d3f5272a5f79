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
import java.io.Writer;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;

/**
 * The ways in which a handler can answer. Mapped twice, protected and not, for the two to
 * be compared. Each answers the same each time and leaves its path as its effect.
 */
public abstract class Answers {

	static final String GREETING = "Gr\u00FC\u00DFe";

	@Autowired
	private Effects effects;

	@Autowired
	private HttpServletRequest request;

	@Autowired
	private HttpServletResponse response;

	void effect() {
		this.effects.record(this.request.getRequestURI());
	}

	@PostMapping("/writer")
	public void writer(HttpServletResponse response) throws IOException {
		effect();
		response.setStatus(202);
		response.setContentType("text/plain;charset=UTF-8");
		response.getWriter().print(GREETING + " \u20AC");
	}

	@PostMapping("/cookies")
	public void cookies(HttpServletResponse response) {
		effect();
		response.addCookie(new Cookie("theme", "dark"));
		response.addHeader("Set-Cookie", "theme=light");
		response.addCookie(new Cookie("theme", "blue"));
		response.addHeader("set-cookie", "language=de");
	}

	@PostMapping("/cookies-replaced")
	public void cookiesReplaced(HttpServletResponse response) {
		effect();
		response.addCookie(new Cookie("theme", "dark"));
		response.setHeader("Set-Cookie", "theme=light");
		response.addCookie(new Cookie("language", "de"));
	}

	@PostMapping("/no-cookie")
	public ResponseEntity<String> noCookie(HttpServletResponse response) {
		return attempt(() -> response.addCookie(unchecked()));
	}

	@PostMapping("/rejected-cookie")
	public ResponseEntity<String> rejectedCookie(HttpServletResponse response) {
		return attempt(() -> response.addCookie(new Cookie("theme", "dark; blue")));
	}

	@PostMapping("/rejected-header")
	public ResponseEntity<String> rejectedHeader(HttpServletResponse response) {
		return attempt(() -> response.setHeader("X-Reference", "rent\r\nX-Other: 1"));
	}

	@PostMapping("/rejected-line")
	public ResponseEntity<String> rejectedLine(HttpServletResponse response) {
		return attempt(() -> response.addHeader("X-Reference", "rent\nMay"));
	}

	@PostMapping("/rejected-location")
	public ResponseEntity<String> rejectedLocation(HttpServletResponse response) {
		return attempt(() -> response.setHeader("Location", "/rent\r\nX-Other: 1"));
	}

	ResponseEntity<String> attempt(Runnable change) {
		effect();
		try {
			change.run();
			return ResponseEntity.ok("accepted");
		}
		catch (RuntimeException ex) {
			return ResponseEntity.ok(ex.getClass().getName());
		}
	}

	@PostMapping("/cookies-seen")
	public ResponseEntity<String> cookiesSeen(HttpServletResponse response) {
		effect();
		response.addCookie(new Cookie("theme", "dark"));
		return ResponseEntity.ok()
			.header("Set-Cookie", "language=de")
			.body(response.containsHeader("Set-Cookie") + " " + response.getHeaders("Set-Cookie"));
	}

	@PostMapping("/nameless-headers")
	public ResponseEntity<String> namelessHeaders(HttpServletResponse response) {
		return attempt(() -> {
			response.setHeader(unchecked(), "value");
			response.addHeader(unchecked(), "value");
			response.setIntHeader(unchecked(), 1);
			response.setHeader("", "value");
			response.addDateHeader("", 0);
		});
	}

	/**
	 * A {@code null} that a handler passes on without a check.
	 */
	@SuppressWarnings("NullAway")
	private static <T> T unchecked() {
		return null;
	}

	@PostMapping("/writer-without-charset")
	public void writerWithoutCharset(HttpServletResponse response) throws IOException {
		effect();
		response.setContentType("text/plain");
		response.getWriter().print(GREETING);
	}

	@PostMapping("/writer-without-type")
	public void writerWithoutType(HttpServletResponse response) throws IOException {
		effect();
		response.getWriter().print(GREETING);
	}

	@PostMapping("/writer-argument")
	public void writerArgument(Writer writer) throws IOException {
		effect();
		writer.write(GREETING);
	}

	@PostMapping("/encoding-after-type")
	public void encodingAfterType(HttpServletResponse response) throws IOException {
		effect();
		response.setContentType("text/plain;charset=UTF-8");
		response.setCharacterEncoding("ISO-8859-1");
		response.getWriter().print(GREETING);
	}

	@PostMapping("/encoding-as-charset")
	public void encodingAsCharset(HttpServletResponse response) throws IOException {
		effect();
		response.setContentType("text/plain");
		response.setCharacterEncoding(StandardCharsets.UTF_8);
		response.getOutputStream().write(GREETING.getBytes(StandardCharsets.UTF_8));
	}

	@PostMapping("/type-after-writer")
	public void typeAfterWriter(HttpServletResponse response) throws IOException {
		effect();
		response.setCharacterEncoding("UTF-8");
		Writer writer = response.getWriter();
		response.setContentType("text/html; charset=ISO-8859-1");
		writer.write(GREETING);
	}

	@PostMapping("/locale")
	public void locale(HttpServletResponse response) throws IOException {
		effect();
		response.setContentType("text/plain");
		response.setLocale(Locale.forLanguageTag("pl-PL"));
		response.getWriter().print("\u0142\u00F3d\u017A");
	}

	@PostMapping("/locale-unset")
	public void localeUnset(HttpServletResponse response) throws IOException {
		effect();
		response.setContentType("text/plain");
		response.setLocale(Locale.GERMAN);
		response.setLocale(null);
		response.getWriter().print(GREETING);
	}

	@PostMapping("/stream")
	public void stream(HttpServletResponse response) throws IOException {
		effect();
		response.setHeader("X-Kind", "stream");
		response.setDateHeader("Last-Modified", 1_000_000_000_000L);
		response.addIntHeader("X-Number", 1);
		response.addIntHeader("X-Number", 2);
		response.setContentLength(3);
		response.getOutputStream().write(new byte[] { 0, (byte) 0x80, (byte) 0xFF });
	}

	@PostMapping("/injected-response")
	public void injectedResponse(HttpServletResponse unused) throws IOException {
		effect();
		this.response.setContentType("text/plain;charset=UTF-8");
		this.response.getWriter().print(GREETING);
	}

	@PostMapping("/flushed")
	public void flushed(HttpServletResponse response) throws IOException {
		effect();
		response.setContentType("text/plain");
		response.getWriter().print("before ");
		response.flushBuffer();
		response.setStatus(500);
		response.setHeader("X-Late", "ignored");
		response.getWriter().print("after");
	}

	@PostMapping("/reset")
	public void reset(HttpServletResponse response) throws IOException {
		effect();
		response.setStatus(500);
		response.setHeader("X-Discarded", "1");
		response.getWriter().print("discarded");
		response.reset();
		response.setContentType("application/octet-stream");
		response.getOutputStream().print("kept");
	}

	@PostMapping("/status-only")
	public void statusOnly(HttpServletResponse response) {
		effect();
		response.setStatus(202);
	}

	@PostMapping("/nothing")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	public void nothing() {
		effect();
	}

	@PostMapping("/redirect")
	public void redirect(HttpServletResponse response) throws IOException {
		effect();
		response.addHeader("X-Kind", "redirect");
		response.sendRedirect("https://example.org/elsewhere?a=1");
		response.getWriter().print("ignored");
	}

	@PostMapping("/redirect-here")
	public void redirectHere(HttpServletResponse response) throws IOException {
		effect();
		response.sendRedirect("/here?a=1");
	}

	@PostMapping("/redirect-name")
	public String redirectName(RedirectAttributes attributes) {
		effect();
		attributes.addAttribute("id", GREETING);
		return "redirect:https://example.org/there";
	}

	@PostMapping("/redirect-entity")
	public ResponseEntity<Void> redirectEntity() {
		effect();
		return ResponseEntity.status(HttpStatus.SEE_OTHER).location(URI.create("/there?a=%20b")).build();
	}

	@PostMapping("/view")
	public String view(Model model) {
		effect();
		model.addAttribute("name", GREETING);
		return "greeting";
	}

	@PostMapping("/view-with-status")
	public ModelAndView viewWithStatus() {
		effect();
		return new ModelAndView("greeting", Map.of("name", "status"), HttpStatus.CREATED);
	}

	@PostMapping("/view-object")
	public ModelAndView viewObject() {
		effect();
		View view = (model, request, response) -> response.getOutputStream().print("object " + model.get("name"));
		return new ModelAndView(view, Map.of("name", "view"));
	}

	@PostMapping("/view-default")
	public void viewDefault(Model model) {
		effect();
		model.addAttribute("name", "default");
	}

	@PostMapping("/forward")
	public String forward(HttpServletRequest request) {
		effect();
		request.setAttribute("forwarded", GREETING);
		return "forward:/open/forwarded";
	}

	@PostMapping("/include")
	public void include(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
		effect();
		request.setAttribute("forwarded", GREETING);
		response.setContentType("text/plain;charset=UTF-8");
		response.getWriter().print("before ");
		request.getRequestDispatcher("/open/included").include(request, response);
		response.getWriter().print(" after");
	}

	@PostMapping("/entity")
	public ResponseEntity<Map<String, Object>> entity() {
		effect();
		return ResponseEntity.status(HttpStatus.CREATED)
			.location(URI.create("/things/7"))
			.eTag("\"v1\"")
			.lastModified(Instant.ofEpochSecond(1_000_000_000))
			.header(HttpHeaders.LINK, "</a,b>; rel=\"next, prev\"", "</c>; rel=\"last\"")
			.header(HttpHeaders.CONTENT_LANGUAGE, "de, en")
			.header(HttpHeaders.CONTENT_DISPOSITION, "attachment; filename=\"a, b.json\"; filename*=UTF-8''a%2C%20b")
			.header(HttpHeaders.VARY, "Accept", "Accept-Language, X-Tenant")
			.header("X-Empty", "")
			.header("X-Order", "2", "1", "2")
			.body(Map.of("name", GREETING));
	}

	@PostMapping("/header-without-value")
	public ResponseEntity<String> headerWithoutValue() {
		effect();
		return ResponseEntity.ok().header("X-Next", (String) null).body(GREETING);
	}

	@PostMapping("/bytes")
	public ResponseEntity<byte[]> bytes() {
		effect();
		byte[] all = new byte[256];
		for (int i = 0; i < all.length; i++) {
			all[i] = (byte) i;
		}
		return ResponseEntity.ok().contentType(MediaType.APPLICATION_OCTET_STREAM).body(all);
	}

	@PostMapping("/resource")
	public ResponseEntity<Resource> resource() {
		effect();
		return ResponseEntity.ok()
			.contentType(MediaType.IMAGE_PNG)
			.body(new ByteArrayResource(new byte[] { (byte) 0x89, 'P', 'N', 'G', 13, 10, 26, 10 }));
	}

	@PostMapping(path = "/text-latin1", produces = "text/plain;charset=ISO-8859-1")
	@ResponseBody
	public String textLatin1() {
		effect();
		return GREETING;
	}

	@PostMapping(path = "/text-utf8", produces = "text/plain;charset=UTF-8")
	@ResponseBody
	public String textUtf8() {
		effect();
		return GREETING + "\u20AC\uD83D\uDE00";
	}

	@PostMapping("/json")
	@ResponseBody
	@ResponseStatus(HttpStatus.CREATED)
	public List<Object> json() {
		effect();
		return List.of(GREETING, 1.50, true);
	}

	@PostMapping("/null")
	@ResponseBody
	public Object nullBody() {
		effect();
		return ResponseEntity.ok().build();
	}

	@PostMapping("/no-content")
	public ResponseEntity<Void> noContent() {
		effect();
		return ResponseEntity.noContent().header("X-Kind", "none").build();
	}

	@PostMapping("/problem")
	@ResponseBody
	public ProblemDetail problem() {
		effect();
		return ProblemDetail.forStatusAndDetail(HttpStatus.PAYMENT_REQUIRED, GREETING);
	}

	@PostMapping("/http-entity")
	public HttpEntity<String> httpEntity() {
		effect();
		HttpHeaders headers = new HttpHeaders();
		headers.add("X-Kind", "entity");
		return new HttpEntity<>("entity", headers);
	}

	@PostMapping("/headers")
	public HttpHeaders headers() {
		effect();
		HttpHeaders headers = new HttpHeaders();
		headers.add("X-Kind", "headers");
		return headers;
	}

	@PostMapping("/bytes-of-text")
	@ResponseBody
	public byte[] bytesOfText() {
		effect();
		return GREETING.getBytes(StandardCharsets.UTF_8);
	}

}
