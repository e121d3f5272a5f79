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
package dev.idempotency.autoconfigure.actuator;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;

import dev.idempotency.ScopeResolver;
import dev.idempotency.autoconfigure.ExecutionProperties;
import dev.idempotency.autoconfigure.IdempotencyAutoConfiguration;
import dev.idempotency.autoconfigure.guard.EnforcementImport;
import dev.idempotency.autoconfigure.job.IdempotencyJobAutoConfiguration;
import dev.idempotency.autoconfigure.outbox.IdempotencyOutboxAutoConfiguration;
import dev.idempotency.engine.OperationFactory;
import dev.idempotency.engine.codec.ContentCodec;
import dev.idempotency.engine.identity.IdentityFactory;
import dev.idempotency.job.StagedJobs;
import dev.idempotency.maintenance.IdempotencyCompleter;
import dev.idempotency.maintenance.IdempotencyReaper;
import dev.idempotency.operator.AccountPurge;
import dev.idempotency.operator.UnfinishedRequests;
import dev.idempotency.outbox.EventRelay;
import dev.idempotency.outbox.Outbox;
import dev.idempotency.store.OperatorStore;

/**
 * The actuator's endpoints {@code idempotency}, {@code idempotencylookup},
 * {@code idempotencyjobs} and {@code idempotencyoutbox}, where they are exposed.
 */
@AutoConfiguration(after = { IdempotencyAutoConfiguration.class, IdempotencyJobAutoConfiguration.class,
		IdempotencyOutboxAutoConfiguration.class })
@ConditionalOnClass({ Endpoint.class, ConditionalOnAvailableEndpoint.class })
@EnableConfigurationProperties(EndpointProperties.class)
@Import(EnforcementImport.class)
public final class IdempotencyEndpointAutoConfiguration {

	/**
	 * The endpoint of requests.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBean({ OperatorStore.class, UnfinishedRequests.class })
	static class Requests {

		private final RequestViews views;

		Requests(@Lazy UnfinishedRequests unfinished, @Lazy OperatorStore store, ContentCodec codec,
				ExecutionProperties properties, EndpointProperties endpoint) {
			this.views = new RequestViews(unfinished, store, codec, properties.leaseExpiry(), endpoint);
		}

		@Bean
		@ConditionalOnAvailableEndpoint
		@ConditionalOnMissingBean(name = "idempotencyEndpoint")
		IdempotencyEndpoint idempotencyEndpoint(@Lazy UnfinishedRequests unfinished, @Lazy AccountPurge accounts,
				@Lazy OperatorStore store, ObjectProvider<IdempotencyReaper> reaper,
				ObjectProvider<IdempotencyCompleter> completer, ObjectProvider<StagedJobs> jobs) {
			return new IdempotencyEndpoint(this.views, unfinished, accounts, store,
					new NodeWorkers(reaper, completer, jobs));
		}

		@Bean
		@ConditionalOnBean(IdempotencyEndpoint.class)
		IdempotencyEndpoint.Web idempotencyEndpointWebExtension(IdempotencyEndpoint endpoint) {
			return new IdempotencyEndpoint.Web(endpoint);
		}

		@Bean
		@ConditionalOnAvailableEndpoint
		@ConditionalOnMissingBean(name = "idempotencyLookupEndpoint")
		IdempotencyLookupEndpoint idempotencyLookupEndpoint(IdentityFactory identities, OperationFactory operations,
				ScopeResolver scopes) {
			return new IdempotencyLookupEndpoint(this.views, identities, operations, scopes);
		}

	}

	/**
	 * The endpoint of jobs.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBean(StagedJobs.class)
	static class Jobs {

		@Bean
		@ConditionalOnAvailableEndpoint
		@ConditionalOnMissingBean(name = "idempotencyJobsEndpoint")
		IdempotencyJobsEndpoint idempotencyJobsEndpoint(@Lazy StagedJobs jobs) {
			return new IdempotencyJobsEndpoint(jobs);
		}

	}

	/**
	 * The endpoint of the outbox.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(Outbox.class)
	@ConditionalOnBean(Outbox.class)
	static class Events {

		@Bean
		@ConditionalOnAvailableEndpoint
		@ConditionalOnMissingBean(name = "idempotencyOutboxEndpoint")
		IdempotencyOutboxEndpoint idempotencyOutboxEndpoint(Outbox outbox, ObjectProvider<EventRelay> relays,
				EndpointProperties endpoint) {
			return new IdempotencyOutboxEndpoint(outbox, relays, endpoint);
		}

	}

}
