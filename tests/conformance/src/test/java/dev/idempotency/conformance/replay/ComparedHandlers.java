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
package dev.idempotency.conformance.replay;

import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.view.InternalResourceView;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;

/**
 * Handlers that fail, show views, and are the targets of includes, with and without
 * protection.
 */
@RestController
class ComparedHandlers {

	@PostMapping("/plain/failing/{kind}")
	void failing(@PathVariable String kind, HttpServletResponse response) {
		response.setHeader("Retry-After", "7");
		response.addHeader("X-Reason", "1");
		response.addHeader("X-Reason", "2");
		response.addCookie(new Cookie("attempt", "1"));
		response.setContentType("text/csv;charset=UTF-16");
		response.setHeader("Content-Disposition", "attachment");
		throw switch (kind) {
			case "status" -> new ResponseStatusException(HttpStatus.CONFLICT);
			case "advice" -> new IllegalArgumentException();
			default -> new IllegalStateException();
		};
	}

	@Idempotent
	@PostMapping("/kept/failing/{kind}")
	void keptFailing(@PathVariable String kind, HttpServletResponse response) {
		failing(kind, response);
	}

	@ExceptionHandler
	ResponseEntity<String> answer(IllegalArgumentException ex, HttpServletResponse response) {
		return ResponseEntity.status(409).body("after " + response.getHeaders("X-Reason"));
	}

	@PostMapping("/plain/view-of-nothing")
	ModelAndView viewOfNothing() {
		return new ModelAndView(new InternalResourceView("/open/nothing"));
	}

	@Idempotent
	@PostMapping("/kept/view-of-nothing")
	ModelAndView keptViewOfNothing() {
		return viewOfNothing();
	}

	@PostMapping("/plain/created")
	ResponseEntity<String> created() {
		return ResponseEntity.status(201).body("created");
	}

	@Idempotent
	@PostMapping("/kept/created")
	ResponseEntity<String> keptCreated() {
		return created();
	}

	@PostMapping("/plain/created-later")
	CompletableFuture<ResponseEntity<String>> createdLater() {
		return CompletableFuture.completedFuture(created());
	}

	@Idempotent(mode = Mode.LEASED)
	@PostMapping("/kept/created-later")
	CompletableFuture<ResponseEntity<String>> keptCreatedLater() {
		return createdLater();
	}

	/**
	 * Its declaration does not show the way in which it answers.
	 */
	@PostMapping("/plain/undeclared/{kind}")
	@Nullable Object undeclared(@PathVariable String kind, HttpServletResponse response) throws IOException {
		return switch (kind) {
			case "entity" -> created();
			case "problem" -> ProblemDetail.forStatus(HttpStatus.CREATED);
			default -> {
				response.setStatus(201);
				response.getWriter().print("created");
				response.flushBuffer();
				yield null;
			}
		};
	}

	@Idempotent
	@PostMapping("/kept/undeclared/{kind}")
	@Nullable Object keptUndeclared(@PathVariable String kind, HttpServletResponse response) throws IOException {
		return undeclared(kind, response);
	}

	@PostMapping("/open/included-head")
	void includedHead(HttpServletResponse response) throws IOException {
		response.setStatus(202);
		response.setHeader("X-Target", "included");
		response.setContentType("text/css;charset=UTF-8");
		response.setLocale(Locale.JAPAN);
		response.getWriter().print("included");
	}

	@PostMapping("/open/included-redirect")
	void includedRedirect(HttpServletResponse response) throws IOException {
		response.sendRedirect("/elsewhere");
	}

	@PostMapping("/open/forwarded")
	String forwarded(@RequestAttribute String forwarded, HttpServletResponse response) {
		response.setHeader("X-Target", "forwarded");
		return "forwarded " + forwarded;
	}

	@PostMapping("/open/included")
	void included(@RequestAttribute String forwarded, HttpServletResponse response) throws IOException {
		response.getWriter().print("included " + forwarded);
	}

}
