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
/**
 * The outbox: events that are stored in the caller's transaction and sent to a message
 * broker after its commit, in the order of the commits for each key.
 * <p>
 * API of applications: {@link dev.idempotency.outbox.Outbox},
 * {@link dev.idempotency.outbox.OutboxEvent},
 * {@link dev.idempotency.outbox.OutboxMessage}. SPI for custom brokers:
 * {@link dev.idempotency.outbox.EventSender},
 * {@link dev.idempotency.outbox.OutgoingEvent},
 * {@link dev.idempotency.outbox.EventRefusedException},
 * {@link dev.idempotency.outbox.DestinationUnavailableException}; for custom names and
 * keys of observations: {@link dev.idempotency.outbox.PublicationObservationContext}.
 * Everything else is internal and may change at any time.
 */
@NullMarked
package dev.idempotency.outbox;

import org.jspecify.annotations.NullMarked;
