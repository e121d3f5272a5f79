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
package dev.idempotency.messagingtests.inbox;

import org.springframework.kafka.annotation.KafkaHandler;
import org.springframework.kafka.annotation.KafkaListener;

import dev.idempotency.Idempotent;

/**
 * A class whose methods are chosen by the payload.
 */
@KafkaListener(topics = "handlers", groupId = "handlers")
class KafkaHandlers {

	private final Effects effects;

	KafkaHandlers(Effects effects) {
		this.effects = effects;
	}

	@Idempotent
	@KafkaHandler
	void text(String payload) {
		this.effects.add("handlers", payload);
	}

	@KafkaHandler(isDefault = true)
	void other(Object payload) {
		this.effects.add("unprotected handler", "something");
	}

}
