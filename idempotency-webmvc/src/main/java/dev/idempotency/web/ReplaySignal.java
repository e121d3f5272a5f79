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
package dev.idempotency.web;

import dev.idempotency.engine.codec.StoredResponse;

/**
 * A signal that leaves the controller's proxy without invoking the controller. It is an
 * exception and not a return value: code between the proxy and the adapter must not
 * mistake it for the handler's result.
 */
final class ReplaySignal extends RuntimeException {

	private final transient StoredResponse answer;

	ReplaySignal(StoredResponse answer) {
		super("The stored answer is replayed", null, false, false);
		this.answer = answer;
	}

	StoredResponse answer() {
		return this.answer;
	}

}
