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
package dev.idempotency.autoconfigure;

import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;

import dev.idempotency.engine.operation.OperationFactory;
import dev.idempotency.logging.LogEvent;

/**
 * A log line, once, in applications that have protected operations and no secret.
 */
final class SecretNotice implements ApplicationListener<ContextRefreshedEvent> {

	private static final Log logger = LogFactory.getLog(SecretNotice.class);

	private final SecretProperties secret;

	private final OperationFactory operations;

	private final AtomicBoolean logged = new AtomicBoolean();

	SecretNotice(SecretProperties secret, OperationFactory operations) {
		this.secret = secret;
		this.operations = operations;
	}

	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		if (this.secret.identity() == null && !this.operations.names().isEmpty()
				&& this.logged.compareAndSet(false, true)) {
			LogEvent.SECRET_MISSING.log(logger,
					"Identities and fingerprints of requests are stored as digests without a secret: a reader of "
							+ "the table can guess the content of requests. Set idempotency.secret.identity");
		}
	}

}
