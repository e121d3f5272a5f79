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

import java.util.Map;
import java.util.UUID;

import dev.idempotency.Idempotent;
import dev.idempotency.phase.Phases;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.RestClient;

/**
 * Brandur's example: a ride is created, charged at a provider, and completed.
 */
@RestController
public class Rides {

	private final Effects effects;

	private final RestClient provider;

	public Rides(Effects effects, @Value("${provider:http://127.0.0.1:9}") String provider) {
		this.effects = effects;
		this.provider = RestClient.create(provider);
	}

	@Idempotent
	@PostMapping("/rides")
	@ResponseStatus(HttpStatus.CREATED)
	public Map<String, Object> create(@RequestBody Labelled request, Phases phases) {
		PhaseHook.at("before-ride", request.label());
		UUID id = phases.atomic("ride_created", UUID.class, () -> {
			PhaseHook.at("in-ride", request.label());
			return this.effects.record(request.label()).getId();
		});
		PhaseHook.at("after-ride", request.label());
		String charge = phases.foreign("charge_created", String.class, (key) -> {
			PhaseHook.at("before-charge", request.label());
			String made = this.provider.post()
				.uri("/charges")
				.header("Idempotency-Key", key)
				.retrieve()
				.body(String.class);
			PhaseHook.at("in-charge", request.label());
			return made;
		});
		PhaseHook.at("after-charge", request.label());
		return phases.finish(() -> {
			this.effects.record(request.label() + " done");
			PhaseHook.at("in-finish", request.label());
			return Map.of("id", id, "chargeId", charge);
		});
	}

	@ExceptionHandler(HttpClientErrorException.class)
	@ResponseStatus(HttpStatus.PAYMENT_REQUIRED)
	public Map<String, String> declined() {
		return Map.of("error", "declined");
	}

}
