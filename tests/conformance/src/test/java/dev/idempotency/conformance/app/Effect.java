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

import java.util.UUID;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/**
 * The effect of a handler, as a row to be counted.
 */
@Entity
public class Effect {

	@Id
	private UUID id = new UUID(0, 0);

	private String label = "";

	protected Effect() {
	}

	public Effect(UUID id, String label) {
		this.id = id;
		this.label = label;
	}

	public UUID getId() {
		return this.id;
	}

	public String getLabel() {
		return this.label;
	}

}
