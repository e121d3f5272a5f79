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
import java.security.Principal;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import dev.idempotency.Idempotent;
import dev.idempotency.phase.Phases;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.support.ServletUriComponentsBuilder;

/**
 * Handlers in two phases that use what Spring MVC gives them. Between the phases an
 * errand fails as long as a test wants it to.
 */
@RestController
public class Errands {

	private static final Set<String> FAILING = ConcurrentHashMap.newKeySet();

	private static final Set<String> FAILING_ONCE = ConcurrentHashMap.newKeySet();

	private static final Map<String, AtomicInteger> RUNS = new ConcurrentHashMap<>();

	private static final Map<String, AtomicInteger> RUNNING = new ConcurrentHashMap<>();

	private static final Set<String> OVERLAPPING = ConcurrentHashMap.newKeySet();

	private final Effects effects;

	public Errands(Effects effects) {
		this.effects = effects;
	}

	/**
	 * Lets the errands with a label fail from now on.
	 */
	public static void fail(String label) {
		FAILING.add(label);
	}

	/**
	 * Lets only the first errand with a label fail.
	 */
	public static void failOnce(String label) {
		FAILING_ONCE.add(label);
	}

	/**
	 * Lets them succeed from now on.
	 */
	public static void repair(String label) {
		FAILING.remove(label);
	}

	/**
	 * Returns the number of calls of the handler.
	 */
	public static int runs(String label) {
		AtomicInteger runs = RUNS.get(label);
		return (runs != null) ? runs.get() : 0;
	}

	/**
	 * The labels whose handler was called while it was running.
	 */
	public static Set<String> overlapping() {
		return Set.copyOf(OVERLAPPING);
	}

	@Idempotent
	@PostMapping("/errands/{place}")
	public ResponseEntity<Map<String, Object>> run(@PathVariable String place, @RequestParam int speed,
			@RequestBody @Valid Errand errand, Principal principal, @AuthenticationPrincipal UserDetails user,
			HttpServletRequest request, Phases phases) {
		String told = String.join("|", place, String.valueOf(speed), errand.label(), principal.getName(),
				user.getUsername(), String.valueOf(request.isUserInRole("PAYER")), request.getRequestURL(),
				request.getServletPath(), request.getLocale().toLanguageTag());
		String id = phased(errand.label(), phases);
		return ResponseEntity
			.created(ServletUriComponentsBuilder.fromCurrentRequest().path("/{id}").buildAndExpand("made").toUri())
			.body(Map.of("told", told, "id", id));
	}

	@Idempotent
	@PostMapping("/errand-forms")
	@ResponseStatus(HttpStatus.CREATED)
	public Map<String, String> form(@RequestParam String label, @RequestParam String text, @RequestParam String query,
			Phases phases) {
		phased(label, phases);
		return Map.of("text", text, "query", query);
	}

	@Idempotent
	@PostMapping("/declined-errands")
	public Map<String, String> declined(@RequestBody Labelled errand, Phases phases) {
		phases.atomic("begun", () -> {
			this.effects.record(errand.label());
		});
		pass(errand.label());
		throw new DeclinedException();
	}

	@Idempotent
	@PostMapping("/gone-errands")
	public void gone(@RequestBody Labelled errand, Phases phases, HttpServletResponse response) throws IOException {
		phases.atomic("begun", () -> {
			this.effects.record(errand.label());
		});
		pass(errand.label());
		response.sendError(410, "gone for good");
	}

	private String phased(String label, Phases phases) {
		AtomicInteger running = RUNNING.computeIfAbsent(label, (key) -> new AtomicInteger());
		if (running.incrementAndGet() > 1) {
			OVERLAPPING.add(label);
		}
		try {
			String id = phases.atomic("begun", String.class, () -> this.effects.record(label).getId().toString());
			pass(label);
			return phases.finish(() -> {
				this.effects.record(label + " done");
				return id;
			});
		}
		finally {
			running.decrementAndGet();
		}
	}

	private static void pass(String label) {
		RUNS.computeIfAbsent(label, (key) -> new AtomicInteger()).incrementAndGet();
		if (FAILING_ONCE.remove(label) || FAILING.contains(label)) {
			throw new IllegalStateException("a bad deploy, with a secret: " + label);
		}
	}

	@ExceptionHandler(DeclinedException.class)
	@ResponseStatus(HttpStatus.PAYMENT_REQUIRED)
	public Map<String, String> onDeclined() {
		return Map.of("error", "declined");
	}

	/**
	 * The request of an errand.
	 *
	 * @param label the label of its effect
	 */
	public record Errand(@NotBlank String label) {
	}

	/**
	 * A final failure.
	 */
	static final class DeclinedException extends RuntimeException {

		private static final long serialVersionUID = 1L;

	}

}
