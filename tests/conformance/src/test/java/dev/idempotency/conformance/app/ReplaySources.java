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

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import dev.idempotency.IdempotencyListener;
import dev.idempotency.IdempotencyNotification;
import dev.idempotency.IdempotencyNotification.ReplaySource;
import dev.idempotency.IdempotencyNotification.Replayed;

/**
 * Remembers where the replays of an application came from.
 */
public class ReplaySources implements IdempotencyListener {

	private final Queue<ReplaySource> sources = new ConcurrentLinkedQueue<>();

	@Override
	public void onNotification(IdempotencyNotification notification) {
		if (notification instanceof Replayed replayed) {
			this.sources.add(replayed.source());
		}
	}

	/**
	 * The sources since the last call, in order.
	 */
	public List<ReplaySource> take() {
		List<ReplaySource> taken = List.copyOf(this.sources);
		this.sources.clear();
		return taken;
	}

}
