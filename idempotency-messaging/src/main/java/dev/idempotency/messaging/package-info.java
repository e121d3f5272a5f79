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
 * The inbox: annotated listeners of Kafka and RabbitMQ, which process every message once.
 * <ol>
 * <li>The registry of listener endpoints puts a separate listener in front of each
 * annotated one. The application's configuration of its containers is unchanged.</li>
 * <li>That listener binds the message to the thread, and calls the application's
 * listener.</li>
 * <li>The aspect around the method takes the key from there, and runs the method in the
 * transaction that also holds the record.</li>
 * <li>Manual acknowledgements of the method reach the broker after the commit.</li>
 * </ol>
 * The senders of the outbox's events to the brokers are also in this package.
 * <p>
 * SPI for custom keys and contents: {@link dev.idempotency.messaging.MessageKeyResolver},
 * {@link dev.idempotency.messaging.MessageContent},
 * {@link dev.idempotency.messaging.IncomingMessage}. Everything else is internal and may
 * change at any time.
 */
@NullMarked
package dev.idempotency.messaging;

import org.jspecify.annotations.NullMarked;
