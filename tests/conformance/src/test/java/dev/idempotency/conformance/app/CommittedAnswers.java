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
import java.io.PrintWriter;
import java.util.Locale;

import jakarta.servlet.ServletException;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.view.InternalResourceView;

/**
 * Answers of handlers that commit their response early, look at its head, or include
 * others in it.
 */
public abstract class CommittedAnswers extends Answers {

	@PostMapping("/stream-flushed")
	public void streamFlushed(HttpServletResponse response) throws IOException {
		effect();
		response.getOutputStream().print("before ");
		response.getOutputStream().flush();
		changeLate(response);
		response.getOutputStream().print("after");
	}

	@PostMapping("/stream-closed")
	public void streamClosed(HttpServletResponse response) throws IOException {
		effect();
		ServletOutputStream stream = response.getOutputStream();
		stream.print("whole");
		stream.close();
		changeLate(response);
	}

	@PostMapping("/writer-flushed")
	public void writerFlushed(HttpServletResponse response) throws IOException {
		effect();
		response.getWriter().print("before ");
		response.getWriter().flush();
		changeLate(response);
		response.getWriter().print("after");
	}

	@PostMapping("/writer-closed")
	public void writerClosed(HttpServletResponse response) throws IOException {
		effect();
		response.setContentType("text/plain");
		PrintWriter writer = response.getWriter();
		writer.print("whole");
		writer.close();
		changeLate(response);
		writer.print("ignored");
	}

	private static void changeLate(HttpServletResponse response) {
		response.setStatus(500);
		response.setHeader("X-Late", "ignored");
		response.setContentType("text/html");
		response.setLocale(Locale.GERMAN);
	}

	@PostMapping("/redirect-with-writer")
	public void redirectWithWriter(HttpServletResponse response) throws IOException {
		effect();
		PrintWriter writer = response.getWriter();
		writer.print("discarded");
		response.sendRedirect("/here");
		writer.print("ignored");
	}

	@PostMapping("/charset-as-spelled")
	public void charsetAsSpelled(HttpServletResponse response) throws IOException {
		effect();
		response.setContentType("text/plain; format=flowed; charset=\"utf-8\"");
		response.getWriter().print(GREETING);
	}

	@PostMapping("/unknown-charset")
	public void unknownCharset(HttpServletResponse response) throws IOException {
		effect();
		response.setContentType("text/plain; charset=unknown");
		response.getOutputStream().print("bytes");
	}

	@PostMapping("/head-seen")
	public ResponseEntity<String> headSeen(HttpServletResponse response) {
		effect();
		response.setContentType("text/plain;charset=utf-8");
		response.setLocale(Locale.GERMAN);
		return ResponseEntity.ok(response.getCharacterEncoding() + " " + response.getContentType() + " "
				+ response.getHeaderNames().contains("Content-Type") + " " + response.getLocale());
	}

	@PostMapping("/locale-after-writer")
	public void localeAfterWriter(HttpServletResponse response) throws IOException {
		effect();
		response.setContentType("text/plain");
		PrintWriter writer = response.getWriter();
		response.setLocale(Locale.JAPAN);
		writer.print(GREETING);
	}

	@PostMapping("/locale-twice")
	public void localeTwice(HttpServletResponse response) throws IOException {
		effect();
		response.setContentType("text/plain");
		response.setLocale(Locale.JAPAN);
		response.setLocale(Locale.GERMAN);
		response.getWriter().print(GREETING);
	}

	@PostMapping("/write-listener")
	public ResponseEntity<String> writeListener(HttpServletResponse response) {
		return attempt(() -> {
			try {
				response.getOutputStream().setWriteListener(new WriteListener() {

					@Override
					public void onWritePossible() {
					}

					@Override
					public void onError(Throwable failure) {
					}

				});
			}
			catch (IOException ex) {
				throw new IllegalArgumentException(ex);
			}
			finally {
				response.reset();
			}
		});
	}

	@PostMapping("/include-with-head")
	public void includeWithHead(HttpServletRequest request, HttpServletResponse response)
			throws ServletException, IOException {
		include("/open/included-head", request, response);
	}

	@PostMapping("/include-of-nothing")
	public void includeOfNothing(HttpServletRequest request, HttpServletResponse response)
			throws ServletException, IOException {
		include("/open/nothing", request, response);
	}

	@PostMapping("/include-of-a-redirect")
	public void includeOfARedirect(HttpServletRequest request, HttpServletResponse response)
			throws ServletException, IOException {
		include("/open/included-redirect", request, response);
	}

	private void include(String path, HttpServletRequest request, HttpServletResponse response)
			throws ServletException, IOException {
		effect();
		response.setContentType("text/plain;charset=UTF-8");
		response.getWriter().print("before ");
		request.getRequestDispatcher(path).include(request, response);
		response.setHeader("X-After", "1");
		response.getWriter().print(" after");
	}

	@PostMapping("/include-as-view")
	public ModelAndView includeAsView() {
		effect();
		InternalResourceView view = new InternalResourceView("/open/included-head");
		view.setAlwaysInclude(true);
		return new ModelAndView(view);
	}

}
