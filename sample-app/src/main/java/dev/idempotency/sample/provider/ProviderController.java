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
package dev.idempotency.sample.provider;

import dev.idempotency.provider.Faults;
import jakarta.validation.Valid;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The state of the provider, for users of the sample: everybody may count the charges,
 * and operators may make the provider fail. A PUT needs no key.
 */
@RestController
@RequestMapping("/provider")
class ProviderController {

	private final PaymentProvider provider;

	ProviderController(PaymentProvider provider) {
		this.provider = provider;
	}

	@GetMapping("/charges")
	ChargeCount charges() {
		return this.provider.countCharges();
	}

	@GetMapping("/faults")
	Faults faults() {
		return this.provider.faults();
	}

	@PutMapping("/faults")
	Faults switchTo(@RequestBody @Valid Faults faults) {
		return this.provider.switchTo(faults);
	}

}
