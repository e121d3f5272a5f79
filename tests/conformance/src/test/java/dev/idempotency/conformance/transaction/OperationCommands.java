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
package dev.idempotency.conformance.transaction;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.beans.factory.ObjectProvider;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;

/**
 * The operations of {@link OperationTransactionsTests}.
 */
class OperationCommands {

	private final Effects effects;

	private final Map<String, Integer> invocations = new ConcurrentHashMap<>();

	private final ObjectProvider<OperationCommands> self;

	OperationCommands(Effects effects, ObjectProvider<OperationCommands> self) {
		this.effects = effects;
		this.self = self;
	}

	int invocations(String label) {
		return this.invocations.getOrDefault(label, 0);
	}

	@Idempotent(key = "#label")
	String run(String label) {
		this.invocations.merge(label, 1, Integer::sum);
		return this.effects.record(label).getId().toString();
	}

	@Idempotent(key = "#label")
	void fail(String label) {
		this.effects.record(label);
		throw new IllegalStateException("no");
	}

	@Idempotent(key = "#label")
	void runAnother(String label) {
		this.self.getObject().run(label);
	}

	@Idempotent(key = "#label")
	void runItself(String label) {
		this.self.getObject().runItself(label);
	}

	void callOwn(String label) {
		run(label);
	}

}
