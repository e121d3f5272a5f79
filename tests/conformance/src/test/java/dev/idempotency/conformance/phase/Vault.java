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
package dev.idempotency.conformance.phase;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import org.springframework.context.annotation.Import;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.NamedCallers;
import dev.idempotency.phase.Phases;

/**
 * An endpoint in phases that records whom it runs for.
 */
@RestController
@Import(NamedCallers.class)
public class Vault {

	public static final Set<String> FAILING = ConcurrentHashMap.newKeySet();

	/**
	 * Labels for which the rule of {@link #gated} is no longer met.
	 */
	public static final Set<String> CLOSED = ConcurrentHashMap.newKeySet();

	private static final Map<String, Integer> RUNS = new ConcurrentHashMap<>();

	private final Effects effects;

	Vault(Effects effects) {
		this.effects = effects;
	}

	static int runs(String label) {
		return RUNS.getOrDefault(label, 0);
	}

	@Idempotent
	@PostMapping("/open/full-vault")
	@PreAuthorize("isFullyAuthenticated()")
	Map<String, Object> full(@RequestBody Labelled request, Phases phases) {
		return open(request, phases);
	}

	@Idempotent
	@PostMapping("/open/factor-vault")
	@PreAuthorize("hasAuthority('FACTOR_OTT') and hasRole('CUSTOMER')")
	Map<String, Object> factor(@RequestBody Labelled request, Phases phases) {
		return open(request, phases);
	}

	@Idempotent
	@PostMapping("/open/gated-vault")
	@PreAuthorize("hasRole('CUSTOMER') and !T(dev.idempotency.conformance.phase.Vault).CLOSED.contains(#request.label())")
	Map<String, Object> gated(@RequestBody Labelled request, Phases phases) {
		return open(request, phases);
	}

	@Idempotent
	@PostMapping("/open/vault")
	Map<String, Object> open(@RequestBody Labelled request, Phases phases) {
		phases.atomic("begun", String.class, request::label);
		RUNS.merge(request.label(), 1, Integer::sum);
		if (FAILING.contains(request.label())) {
			throw new IllegalStateException("a bad deploy");
		}
		Authentication caller = SecurityContextHolder.getContext().getAuthentication();
		String roles = AuthorityUtils.authorityListToSet(caller.getAuthorities())
			.stream()
			.filter((authority) -> authority.startsWith("ROLE_"))
			.sorted()
			.collect(Collectors.joining(","));
		return phases.finish(() -> {
			this.effects.record(request.label() + " done by " + caller.getName() + " with " + roles);
			return Map.of("done", true);
		});
	}

}
