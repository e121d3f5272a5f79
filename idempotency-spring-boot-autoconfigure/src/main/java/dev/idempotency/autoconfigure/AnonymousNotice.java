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

import dev.idempotency.account.AnonymousAccess;
import dev.idempotency.engine.operation.OperationFactory;
import dev.idempotency.logging.LogEvent;

/**
 * A warning, once, in applications that have protected operations and make all anonymous
 * callers one account.
 */
final class AnonymousNotice implements ApplicationListener<ContextRefreshedEvent> {

	private static final Log logger = LogFactory.getLog(AnonymousNotice.class);

	private final AnonymousAccess anonymous;

	private final int minLength;

	private final OperationFactory operations;

	private final AtomicBoolean logged = new AtomicBoolean();

	AnonymousNotice(AnonymousAccess anonymous, int minLength, OperationFactory operations) {
		this.anonymous = anonymous;
		this.minLength = minLength;
		this.operations = operations;
	}

	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		if (this.anonymous == AnonymousAccess.SHARE && !this.operations.names().isEmpty()
				&& this.logged.compareAndSet(false, true)) {
			LogEvent.ANONYMOUS_SHARED.log(logger,
					"Anonymous callers share one account (idempotency.anonymous=share): a caller who guesses the key of "
							+ "another gets the stored answer. Their keys have at least " + this.minLength
							+ " characters (idempotency.key.min-length-anonymous)");
		}
	}

}
