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
package dev.idempotency.outbox;

import java.util.function.Function;

/**
 * Observes the publication of each event, and may add headers that identify the
 * originating request to receivers.
 */
@FunctionalInterface
public interface PublicationObserver {

	/**
	 * Observes nothing.
	 */
	PublicationObserver NONE = (message, publication) -> publication.apply(message);

	/**
	 * Observes a publication.
	 * @param message the event
	 * @param publication writes an event into the outbox and returns its id
	 * @return the result of the publication
	 */
	String observe(OutboxMessage message, Function<OutboxMessage, String> publication);

}
