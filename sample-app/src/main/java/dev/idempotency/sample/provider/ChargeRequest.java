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

import java.util.Map;

import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;

/**
 * A charge that is wanted.
 *
 * @param amount the amount in the smallest unit of the currency, such as cents
 * @param currency the ISO 4217 code
 * @param source stands for the card, such as {@code tok_visa}
 * @param description what is to be read about it
 * @param metadata what the provider is to keep with it
 */
public record ChargeRequest(long amount, String currency, String source, String description,
		Map<String, String> metadata) {

	public ChargeRequest {
		metadata = Map.copyOf(metadata);
	}

	MultiValueMap<String, String> toForm() {
		MultiValueMap<String, String> form = new LinkedMultiValueMap<>();
		form.add("amount", Long.toString(this.amount));
		form.add("currency", this.currency);
		form.add("source", this.source);
		form.add("description", this.description);
		this.metadata.forEach((name, value) -> form.add("metadata[" + name + "]", value));
		return form;
	}

}
