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

package dev.idempotency.conformance.fuzz;

import java.io.IOException;
import java.util.Map;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.servlet.ModelAndView;

/**
 * A handler of each declared type that may be in any mode. {@link GeneratedHandlers}
 * makes controllers of them.
 *
 * @param <T> a return type that is not known at start-up
 */
abstract class FuzzHandlers<T> {

	@Autowired
	private Interpreter interpreter;

	@PostMapping("/entity")
	@Nullable ResponseEntity<Object> entity(Script script, HttpServletRequest request, HttpServletResponse response)
			throws IOException {
		return this.interpreter.atOnce(script, request).entity(response);
	}

	@PostMapping("/wildcard")
	@Nullable ResponseEntity<?> wildcard(Script script, HttpServletRequest request, HttpServletResponse response)
			throws IOException {
		return this.interpreter.atOnce(script, request).entity(response);
	}

	@PostMapping("/object")
	@ResponseBody
	@Nullable Object object(Script script, HttpServletRequest request, HttpServletResponse response) throws IOException {
		return this.interpreter.asScripted(script, request, response);
	}

	@SuppressWarnings("unchecked")
	@PostMapping("/variable")
	@ResponseBody
	@Nullable T variable(Script script, HttpServletRequest request, HttpServletResponse response) throws IOException {
		return (T) this.interpreter.asScripted(script, request, response);
	}

	@PostMapping(path = "/text", produces = "text/plain;charset=ISO-8859-1")
	@ResponseBody
	@Nullable String text(Script script, HttpServletRequest request, HttpServletResponse response) throws IOException {
		HandlerAnswer answer = this.interpreter.atOnce(script, request);
		return answer.begin(response) ? answer.text() : null;
	}

	@PostMapping("/value")
	@ResponseBody
	@ResponseStatus(HttpStatus.CREATED)
	Map<String, Object> value(Script script, HttpServletRequest request) {
		return this.interpreter.atOnce(script, request).value();
	}

	@PostMapping("/reason")
	@ResponseBody
	@ResponseStatus(code = HttpStatus.CREATED, reason = "made")
	String reason(Script script, HttpServletRequest request) {
		return this.interpreter.atOnce(script, request).text();
	}

	@PostMapping("/direct")
	void direct(Script script, HttpServletRequest request, HttpServletResponse response) throws IOException {
		this.interpreter.directly(script, request, response);
	}

	@PostMapping("/view")
	String view(Script script, HttpServletRequest request, HttpServletResponse response, Model model)
			throws IOException {
		HandlerAnswer answer = this.interpreter.atOnce(script, request);
		answer.begin(response);
		model.addAttribute("text", answer.text());
		return "fuzz";
	}

	@PostMapping("/model")
	ModelAndView model(Script script, HttpServletRequest request) {
		HandlerAnswer answer = this.interpreter.atOnce(script, request);
		return new ModelAndView("fuzz", Map.of("text", answer.text()), HttpStatus.valueOf(answer.ending().status()));
	}

	@PostMapping("/forward")
	String forward(Script script, HttpServletRequest request, HttpServletResponse response) throws IOException {
		HandlerAnswer answer = this.interpreter.atOnce(script, request);
		answer.begin(response);
		request.setAttribute("forwarded", answer.text());
		return "forward:/open/fuzz-forwarded";
	}

	@PostMapping(path = "/picked-by-header", headers = "!X-Operation")
	@Nullable ResponseEntity<Object> capture(Script script, HttpServletRequest request, HttpServletResponse response)
			throws IOException {
		return this.interpreter.atOnce(script, request).entity(response);
	}

	@PostMapping(path = "/picked-by-header", headers = "X-Operation=refund")
	@Nullable ResponseEntity<Object> refund(Script script, HttpServletRequest request, HttpServletResponse response)
			throws IOException {
		return this.interpreter.atOnce(script, request).entity(response);
	}

	@PostMapping(path = "/picked-by-produces", produces = "application/json")
	@Nullable ResponseEntity<Object> json(Script script, HttpServletRequest request, HttpServletResponse response)
			throws IOException {
		return this.interpreter.atOnce(script, request).entity(response);
	}

	@PostMapping(path = "/picked-by-produces", produces = "application/vnd.refund+json")
	@Nullable ResponseEntity<Object> refundJson(Script script, HttpServletRequest request, HttpServletResponse response)
			throws IOException {
		return this.interpreter.atOnce(script, request).entity(response);
	}

}
