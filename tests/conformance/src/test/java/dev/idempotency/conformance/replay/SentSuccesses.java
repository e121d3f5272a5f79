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
import java.util.concurrent.Callable;

import jakarta.servlet.http.HttpServletResponse;

import org.springframework.http.HttpStatus;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.phase.Phases;

/**
 * The operations of {@link SentSuccessTests}.
 */
@RestController
class SentSuccesses {

	private final Effects effects;

	SentSuccesses(Effects effects) {
		this.effects = effects;
	}

	@Idempotent
	@PostMapping("/send/{status}")
	void send(@PathVariable int status, @RequestBody Labelled body, HttpServletResponse response) throws IOException {
		this.effects.record(body.label());
		response.sendError(status, "told");
	}

	@Idempotent(mode = Mode.LEASED)
	@PostMapping("/leased/{status}")
	void leased(@PathVariable int status, @RequestBody Labelled body, HttpServletResponse response) throws IOException {
		send(status, body, response);
	}

	@Idempotent(mode = Mode.LEASED)
	@Transactional
	@PostMapping("/leased-transactional/{status}")
	public void leasedInTransaction(@PathVariable int status, @RequestBody Labelled body, HttpServletResponse response)
			throws IOException {
		send(status, body, response);
	}

	@Idempotent
	@PostMapping("/phased/{status}")
	void phased(@PathVariable int status, @RequestBody Labelled body, Phases phases, HttpServletResponse response)
			throws IOException {
		phases.finish(() -> this.effects.record(body.label()).getLabel());
		response.sendError(status, "told");
	}

	@Idempotent(mode = Mode.LEASED)
	@PostMapping("/leased-future/{status}")
	Callable<ModelAndView> leasedLater(@PathVariable int status, @RequestBody Labelled body) {
		return () -> {
			this.effects.record(body.label());
			View view = (model, request, response) -> response.sendError(status, "told");
			return new ModelAndView(view);
		};
	}

	@Idempotent
	@PostMapping("/reason")
	@ResponseStatus(code = HttpStatus.CREATED, reason = "made")
	void reason(@RequestBody Labelled body, HttpServletResponse response) {
		plainReason(body, response);
	}

	@PostMapping("/plain-reason")
	@ResponseStatus(code = HttpStatus.CREATED, reason = "made")
	void plainReason(@RequestBody Labelled body, HttpServletResponse response) {
		response.setHeader("X-Kept", "kept");
		this.effects.record(body.label());
	}

	@Idempotent
	@PostMapping("/rollback-only/{status}")
	@Transactional
	public void rollbackOnly(@PathVariable int status, @RequestBody Labelled body, HttpServletResponse response)
			throws IOException {
		send(status, body, response);
		TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
	}

	@Idempotent
	@PostMapping("/status/{status}")
	void status(@PathVariable int status, @RequestBody Labelled body, HttpServletResponse response) {
		this.effects.record(body.label());
		response.setStatus(status);
	}

}
