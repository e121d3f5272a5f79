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

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

import org.springframework.util.StreamUtils;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.multipart.MultipartFile;

import dev.idempotency.conformance.app.Effects;

/**
 * Operations that read forms, parts and bodies, without protection.
 */
@RestController
@RequestMapping("/plain")
class PlainForms {

	private final Effects effects;

	PlainForms(Effects effects) {
		this.effects = effects;
	}

	@RequestMapping(path = "/parameters/{id}", method = { RequestMethod.POST, RequestMethod.PUT, RequestMethod.PATCH })
	String parameters(@PathVariable String id, @RequestParam(required = false) String label) {
		return label + this.effects.record(id).getLabel();
	}

	@PostMapping("/bound/{id}")
	String bound(@PathVariable String id, FormLimitTests.Card card) {
		return card.getLabel() + this.effects.record(id).getLabel();
	}

	@PostMapping("/key-field/{id}")
	String keyField(@PathVariable String id, @RequestParam Map<String, String> fields) {
		return fields.get("label") + this.effects.record(id).getLabel();
	}

	@PostMapping("/raw/{id}")
	String raw(@PathVariable String id, InputStream body) throws IOException {
		this.effects.record(id);
		return StreamUtils.copyToString(body, StandardCharsets.UTF_8);
	}

	@PostMapping("/multipart/{id}")
	String multipart(@PathVariable String id, @RequestParam(required = false) MultipartFile file) {
		return this.effects.record(id).getLabel();
	}

}
