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

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * The faults that are switched on. They last as long as the process.
 */
@Component
class FaultSwitches {

	private final CountDownLatch closing = new CountDownLatch(1);

	private volatile Faults current;

	FaultSwitches(ProviderSettings settings) {
		this.current = new Faults(Faults.Mode.NONE, 0, settings.latency());
	}

	Faults current() {
		return this.current;
	}

	void switchTo(Faults faults) {
		this.current = faults;
	}

	/**
	 * Waits, unless the provider is being stopped, which must not be delayed.
	 */
	void delay(Duration latency) {
		try {
			this.closing.await(latency.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@EventListener(ContextClosedEvent.class)
	void close() {
		this.closing.countDown();
	}

}
