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

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

import dev.idempotency.account.AccountRunner;
import dev.idempotency.autoconfigure.ExecutionProperties.Completer;
import dev.idempotency.autoconfigure.ExecutionProperties.Reaper;
import dev.idempotency.autoconfigure.guard.EnforcementImport;
import dev.idempotency.engine.IdempotencyEngine;
import dev.idempotency.engine.LeaseKeeper;
import dev.idempotency.engine.NotificationPublisher;
import dev.idempotency.engine.codec.ContentCodec;
import dev.idempotency.maintenance.CommandRunner;
import dev.idempotency.maintenance.IdempotencyCompleter;
import dev.idempotency.maintenance.IdempotencyReaper;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.UnfinishedStore;

/**
 * The deletion of expired responses and the completion of unfinished requests, on threads
 * that are not beans: the application's own scheduling is not affected.
 */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class)
@ConditionalOnBean(IdempotencyEngine.class)
@Import(EnforcementImport.class)
public final class IdempotencyMaintenanceAutoConfiguration {

	@Bean
	@ConditionalOnBooleanProperty(name = "idempotency.reaper.enabled", matchIfMissing = true)
	@ConditionalOnMissingBean
	IdempotencyReaper idempotencyReaper(IdempotencyStore store, ObjectProvider<UnfinishedStore> unfinished,
			NotificationPublisher notifications, ExecutionProperties properties) {
		Reaper reaper = properties.reaper();
		return new IdempotencyReaper(store, unfinished.getIfAvailable(), notifications,
				new IdempotencyReaper.Schedule(reaper.interval(), properties.completer().maxAttempts(),
						reaper.keepUnfinished(), reaper.keepStuckRequests()));
	}

	@Bean
	@ConditionalOnBooleanProperty(name = "idempotency.completer.enabled", matchIfMissing = true)
	@ConditionalOnBean({ UnfinishedStore.class, CommandRunner.class, AccountRunner.class })
	@ConditionalOnMissingBean
	IdempotencyCompleter idempotencyCompleter(UnfinishedStore unfinished, IdempotencyStore store, LeaseKeeper keeper,
			ContentCodec codec, ObjectProvider<CommandRunner> runners, AccountRunner accountRunner,
			NotificationPublisher notifications, ExecutionProperties properties) {
		Completer completer = properties.completer();
		return new IdempotencyCompleter(unfinished, LeaseKeeper.requireLeases(store, "IdempotencyCompleter"), keeper,
				codec, runners.orderedStream().toList(), accountRunner, notifications,
				new IdempotencyCompleter.Schedule(completer.interval(), completer.after(), completer.maxAttempts(),
						completer.threads(), completer.backoff()));
	}

}
