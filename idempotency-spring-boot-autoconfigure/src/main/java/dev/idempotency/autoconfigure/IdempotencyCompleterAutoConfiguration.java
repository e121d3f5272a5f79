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

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import dev.idempotency.account.AccountRunner;
import dev.idempotency.autoconfigure.guard.EnforcementImport;
import dev.idempotency.codec.ResponseCodec;
import dev.idempotency.engine.IdempotencyEngine;
import dev.idempotency.engine.lease.LeaseKeeper;
import dev.idempotency.engine.observation.NotificationPublisher;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.maintenance.CommandRunner;
import dev.idempotency.maintenance.IdempotencyCompleter;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.UnfinishedStore;
import dev.idempotency.store.UnfinishedStore.RecoveryRequest;

/**
 * The completion of unfinished requests, on threads that are not beans.
 */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "idempotency.completer.enabled", matchIfMissing = true)
@ConditionalOnBean({ IdempotencyEngine.class, UnfinishedStore.class, CommandRunner.class })
@Import(EnforcementImport.class)
public final class IdempotencyCompleterAutoConfiguration {

	private static final Log logger = LogFactory.getLog(IdempotencyCompleterAutoConfiguration.class);

	/**
	 * Configuration with a check of accounts.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBean(AccountRunner.class)
	static class Accounts {

		@Bean
		@ConditionalOnMissingBean
		IdempotencyCompleter idempotencyCompleter(UnfinishedStore unfinished, IdempotencyStore store,
				LeaseKeeper keeper, ResponseCodec codec, ObjectProvider<CommandRunner> runners,
				AccountRunner accountRunner, NotificationPublisher notifications, ExecutionProperties properties) {
			CompleterProperties completer = properties.completer();
			BackoffProperties backoff = completer.backoff();
			return new IdempotencyCompleter(unfinished, LeaseKeeper.requireLeases(store, "IdempotencyCompleter"),
					keeper, codec, runners.orderedStream().toList(), accountRunner, notifications,
					new IdempotencyCompleter.Schedule(completer.interval(), completer.after(), completer.maxAttempts(),
							completer.threads(),
							new RecoveryRequest.Backoff(backoff.initial(), backoff.multiplier(), backoff.max())));
		}

	}

	/**
	 * Configuration without a check of accounts: the completer must not act for any of
	 * them.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingBean({ AccountRunner.class, IdempotencyCompleter.class })
	static class NoAccounts {

		@Bean
		InitializingBean idempotencyCompleterWarning() {
			return () -> LogEvent.COMPLETER_OFF.log(logger,
					"The completer is off: unfinished requests wait for a retry of their sender, because nothing can "
							+ "check the senders' accounts. Declare an AccountRunner bean, or one UserDetailsService with "
							+ "Spring Security; or set idempotency.completer.enabled=false.");
		}

	}

}
