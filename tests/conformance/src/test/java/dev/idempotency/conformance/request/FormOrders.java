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
package dev.idempotency.conformance.request;

import java.util.Map;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;

/**
 * The operations of {@link FormTests}.
 */
@RestController
class FormOrders {

	private final Effects effects;

	FormOrders(Effects effects) {
		this.effects = effects;
	}

	@Idempotent
	@PostMapping("/orders/{label}")
	Map<String, Object> order(@PathVariable String label) {
		return Map.of("id", this.effects.record(label).getId());
	}

	@Idempotent
	@PostMapping("/allocated/{label}")
	String allocated(@PathVariable String label, @RequestAttribute long allocated) {
		this.effects.record(label);
		return Long.toString(Allocations.allocated() - allocated);
	}

}
