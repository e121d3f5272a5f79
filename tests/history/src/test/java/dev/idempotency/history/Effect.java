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
package dev.idempotency.history;

import java.util.UUID;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/**
 * The row of an order.
 */
@Entity
class Effect {

	/** The first step of a ride. */
	static final String BEGUN = "begun";

	/** What the answer tells. */
	static final String DONE = "done";

	@Id
	private UUID id = new UUID(0, 0);

	@Column(name = "order_key")
	private String key = "";

	private String part = "";

	protected Effect() {
	}

	Effect(UUID id, String key, String part) {
		this.id = id;
		this.key = key;
		this.part = part;
	}

	UUID id() {
		return this.id;
	}

	String key() {
		return this.key;
	}

	String part() {
		return this.part;
	}

}
