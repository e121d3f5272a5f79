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
package dev.idempotency.engine;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import dev.idempotency.IdempotencyNotification;
import dev.idempotency.IdempotencyNotification.Expired;

import static org.assertj.core.api.Assertions.assertThat;

class NotificationPublisherTests {

	@Test
	void aListenerThatFailsChangesNothingForAnybody() {
		List<IdempotencyNotification> first = new ArrayList<>();
		List<IdempotencyNotification> last = new ArrayList<>();
		NotificationPublisher publisher = new NotificationPublisher(List.of(first::add, (notification) -> {
			throw new IllegalStateException("listener");
		}, last::add));
		publisher.publish(new Expired(1));
		assertThat(first).containsExactly(new Expired(1));
		assertThat(last).containsExactly(new Expired(1));
	}

}
