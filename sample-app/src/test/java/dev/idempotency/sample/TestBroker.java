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
package dev.idempotency.sample;

import java.util.concurrent.CompletableFuture;

import dev.idempotency.outbox.EventSender;
import dev.idempotency.outbox.OutgoingEvent;

import org.springframework.boot.test.context.TestComponent;

/**
 * A broker that refuses the events to one destination until it is repaired, and takes all
 * others. The rest of the outbox is the library's.
 */
@TestComponent
class TestBroker implements EventSender {

	static final String REFUSED = "refused";

	private volatile boolean repaired;

	void repair(boolean works) {
		this.repaired = works;
	}

	@Override
	public CompletableFuture<?> send(OutgoingEvent event) {
		return event.destination().equals(REFUSED) && !this.repaired
				? CompletableFuture.failedFuture(new IllegalArgumentException("Too large"))
				: CompletableFuture.completedFuture(event.id());
	}

}
