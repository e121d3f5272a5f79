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

import jakarta.validation.Valid;

import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Required;
import dev.idempotency.Idempotent.Scope;

/**
 * The part of <a href="https://docs.stripe.com/api/charges">Stripe's API</a> that the
 * sample needs.
 */
@RestController
@RequestMapping("/v1/charges")
class ChargeController {

	private final ChargeRepository charges;

	ChargeController(ChargeRepository charges) {
		this.charges = charges;
	}

	/**
	 * A key is optional, as it is at Stripe.
	 */
	@Idempotent(scope = Scope.ENDPOINT, required = Required.FALSE)
	@PostMapping(consumes = MediaType.APPLICATION_FORM_URLENCODED_VALUE)
	Charge create(@RequestAttribute(ApiKeyFilter.MERCHANT) String merchant, @Valid @ModelAttribute ChargeForm form) {
		if (form.isDeclined()) {
			throw new CardDeclinedException();
		}
		return this.charges.insert(merchant, form);
	}

	@GetMapping("/{id}")
	Charge find(@RequestAttribute(ApiKeyFilter.MERCHANT) String merchant, @PathVariable String id) {
		return this.charges.find(merchant, id).orElseThrow(() -> new ChargeNotFoundException(id));
	}

}
