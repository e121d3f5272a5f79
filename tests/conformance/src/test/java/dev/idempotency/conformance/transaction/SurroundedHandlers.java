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
package dev.idempotency.conformance.transaction;

import java.util.Map;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.phase.Phases;

/**
 * The operations of {@link SurroundedClaimTests}.
 */
@RestController
class SurroundedHandlers {

	private final Effects effects;

	SurroundedHandlers(Effects effects) {
		this.effects = effects;
	}

	@Idempotent
	@PostMapping({ "/filter/transactional", "/interceptor/transactional", "/advised/transactional" })
	Map<String, String> transactional(@RequestBody Labelled body) {
		return plain(body);
	}

	@Idempotent(mode = Mode.LEASED)
	@PostMapping({ "/filter/leased", "/interceptor/leased", "/advised/leased" })
	Map<String, String> leased(@RequestBody Labelled body) {
		return plain(body);
	}

	@Idempotent
	@PostMapping({ "/filter/phased", "/interceptor/phased", "/advised/phased" })
	Map<String, String> phased(@RequestBody Labelled body, Phases phases) {
		return Map.of("label", phases.finish(() -> this.effects.record(body.label()).getLabel()));
	}

	@Idempotent
	@PostMapping("/flushed")
	Map<String, String> flushed(@RequestBody Labelled body) {
		return plain(body);
	}

	@Idempotent
	@PostMapping("/elsewhere")
	Map<String, String> elsewhere(@RequestBody Labelled body) {
		return plain(body);
	}

	@Idempotent
	@PostMapping("/detached")
	Map<String, String> detached(@RequestBody Labelled body) {
		return plain(body);
	}

	@Idempotent
	@PostMapping("/protected")
	Map<String, String> protectedValue(@RequestBody Labelled body) {
		return plain(body);
	}

	@PostMapping("/plain")
	Map<String, String> plain(@RequestBody Labelled body) {
		return Map.of("label", this.effects.record(body.label()).getLabel());
	}

}
