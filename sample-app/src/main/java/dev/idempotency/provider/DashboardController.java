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
package dev.idempotency.provider;

import java.util.Map;

import jakarta.validation.Valid;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Endpoints beyond Stripe's API: the number of charges, and the faults that are switched
 * on. They work regardless of the faults.
 */
@RestController
@RequestMapping("/dashboard")
class DashboardController {

	private final ChargeRepository charges;

	private final FaultSwitches switches;

	DashboardController(ChargeRepository charges, FaultSwitches switches) {
		this.charges = charges;
		this.switches = switches;
	}

	@GetMapping("/charges")
	Map<String, Long> charges(@RequestAttribute(ApiKeyFilter.MERCHANT) String merchant) {
		return Map.of("count", this.charges.count(merchant));
	}

	@GetMapping("/faults")
	Faults faults() {
		return this.switches.current();
	}

	@PutMapping("/faults")
	Faults switchTo(@RequestBody @Valid Faults faults) {
		this.switches.switchTo(faults);
		return faults;
	}

}
