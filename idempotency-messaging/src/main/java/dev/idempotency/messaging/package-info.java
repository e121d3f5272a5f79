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
 * The inbox: annotated listeners of Kafka and RabbitMQ, which get every message once.
 * <ol>
 * <li>The registry of listener endpoints puts a listener of its own in front of each
 * annotated one. What the application has configured of its containers stays as it
 * is.</li>
 * <li>That listener binds what is known of the message to the thread, and calls the
 * application's listener.</li>
 * <li>The aspect around the method takes the key from there, and runs the method in the
 * transaction that also holds the record.</li>
 * <li>What the method acknowledged by hand is told to the broker after the commit.</li>
 * </ol>
 * And what gives the events of the outbox to the brokers.
 */
@NullMarked
package dev.idempotency.messaging;

import org.jspecify.annotations.NullMarked;
