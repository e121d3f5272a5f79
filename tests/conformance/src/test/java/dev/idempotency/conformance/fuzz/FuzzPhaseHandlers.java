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

import dev.idempotency.Idempotent;
import dev.idempotency.phase.Phases;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.ResponseStatus;

/**
 * Handlers in phases.
 */
@Controller
@Idempotent
@RequestMapping("/phases/nowhere")
class FuzzPhaseHandlers {

	private final Interpreter interpreter;

	FuzzPhaseHandlers(Interpreter interpreter) {
		this.interpreter = interpreter;
	}

	@PostMapping("/entity")
	@Nullable ResponseEntity<Object> entity(Script script, HttpServletRequest request, HttpServletResponse response,
			Phases phases) throws IOException {
		return this.interpreter.inPhases(script, request, phases).entity(response);
	}

	@PostMapping("/object")
	@ResponseBody
	@Nullable Object object(Script script, HttpServletRequest request, HttpServletResponse response, Phases phases)
			throws IOException {
		return (script.answering() == Answering.AT_ONCE)
				? this.interpreter.inPhases(script, request, phases).entity(response)
				: this.interpreter.asScripted(script, request, response);
	}

	@PostMapping("/value")
	@ResponseBody
	@ResponseStatus(HttpStatus.CREATED)
	Map<String, Object> value(Script script, HttpServletRequest request, Phases phases) {
		return this.interpreter.inPhases(script, request, phases).value();
	}

	@PostMapping("/direct")
	void direct(Script script, HttpServletRequest request, HttpServletResponse response, Phases phases)
			throws IOException {
		if (script.answering() == Answering.AT_ONCE) {
			this.interpreter.inPhases(script, request, phases).write(response);
		}
		else {
			this.interpreter.directly(script, request, response);
		}
	}

	@PostMapping("/view")
	String view(Script script, HttpServletRequest request, HttpServletResponse response, Phases phases, Model model)
			throws IOException {
		HandlerAnswer answer = this.interpreter.inPhases(script, request, phases);
		answer.begin(response);
		model.addAttribute("text", answer.text());
		return "fuzz";
	}

}
