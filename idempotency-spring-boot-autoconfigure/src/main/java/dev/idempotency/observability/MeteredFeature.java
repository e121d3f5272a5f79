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
package dev.idempotency.observability;

/**
 * Features whose meters exist from start-up only where the feature is in use.
 */
public enum MeteredFeature {

	/**
	 * Deletion of expired answers on this node.
	 */
	REAPER,

	/**
	 * Completion of abandoned requests by this node.
	 */
	COMPLETER,

	/**
	 * Operations in mode leased, and the heartbeat of their leases.
	 */
	LEASES,

	/**
	 * Replays from the memory of this node.
	 */
	LOCAL_CACHE,

	/**
	 * Events that are relayed to a broker.
	 */
	OUTBOX

}
