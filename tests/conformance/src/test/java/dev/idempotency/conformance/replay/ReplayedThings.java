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
import java.util.List;
import java.util.Map;

import jakarta.servlet.http.HttpServletResponse;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Required;
import dev.idempotency.conformance.app.Effect;
import dev.idempotency.conformance.app.Effects;

import static dev.idempotency.conformance.app.Responses.MARKER;
import static dev.idempotency.conformance.app.Responses.text;

/**
 * The operations of {@link ReplayTests}.
 */
@RestController
class ReplayedThings {

	static final List<String> NOT_REPLAYED = List.of("Set-Cookie", "WWW-Authenticate", "Proxy-Authenticate",
			"Authentication-Info", "Trailer", "Upgrade", "Age", "Server-Timing", "traceparent", "tracestate",
			"X-B3-TraceId", "X-RateLimit-Remaining", "RateLimit", "RateLimit-Policy", "X-Correlation-Id", "X-Internal");

	private final Effects effects;

	ReplayedThings(Effects effects) {
		this.effects = effects;
	}

	@Idempotent(required = Required.FALSE)
	@PostMapping("/thing/{label}")
	ResponseEntity<Map<String, Object>> thing(@PathVariable String label) {
		Effect effect = this.effects.record(label);
		return ResponseEntity.status(HttpStatus.CREATED).body(Map.of("id", effect.getId()));
	}

	@Idempotent
	@PostMapping("/own-headers/{label}")
	ResponseEntity<String> ownHeaders(@PathVariable String label) {
		this.effects.record(label);
		HttpHeaders headers = new HttpHeaders();
		NOT_REPLAYED.forEach((name) -> headers.add(name, "first"));
		headers.add("X-Kept", "kept");
		headers.add("Vary", "X-Handler");
		return new ResponseEntity<>("body", headers, HttpStatus.OK);
	}

	@Idempotent
	@PostMapping("/replacing/{label}")
	void replacing(@PathVariable String label, HttpServletResponse response) {
		this.effects.record(label);
		response.setHeader("X-Exchange", "of the handler");
		response.setHeader("Cache-Control", "max-age=60");
	}

	@Idempotent
	@CrossOrigin(origins = { "https://one.example", "https://two.example" }, exposedHeaders = MARKER)
	@PostMapping("/cors/{label}")
	Map<String, Object> cors(@PathVariable String label) {
		return Map.of("id", this.effects.record(label).getId());
	}

	@Idempotent
	@PostMapping("/errors/{status}/{label}")
	void error(@PathVariable int status, @PathVariable String label, HttpServletResponse response) throws IOException {
		this.effects.record(label);
		response.setHeader("X-Kept", "kept");
		response.sendError(status, "refused");
	}

	@Idempotent
	@PostMapping(path = "/produces/{label}", produces = "text/plain")
	String produces(@PathVariable String label) {
		return this.effects.record(label).getId().toString();
	}

}
