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

import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestContextHolder;

import dev.idempotency.IdempotencyListener;
import dev.idempotency.Idempotent;
import dev.idempotency.OutcomePolicy;
import dev.idempotency.ReplayAuthorizer;
import dev.idempotency.ScopeResolver;
import dev.idempotency.account.AccountResolver;
import dev.idempotency.autoconfigure.guard.EnforcementImport;
import dev.idempotency.codec.ResponseCodec;
import dev.idempotency.engine.AnswerCache;
import dev.idempotency.engine.IdempotencyEngine;
import dev.idempotency.engine.LeaseKeeper;
import dev.idempotency.engine.NotificationPublisher;
import dev.idempotency.engine.OperationFactory;
import dev.idempotency.engine.ReplayChecks;
import dev.idempotency.engine.RequestTransactions;
import dev.idempotency.engine.RequestTransactions.ResourceDisposer;
import dev.idempotency.engine.codec.ContentCodec;
import dev.idempotency.engine.identity.CallerAccounts;
import dev.idempotency.engine.identity.CallerAccounts.SenderSource;
import dev.idempotency.engine.identity.CallerAccounts.TenantSource;
import dev.idempotency.engine.identity.IdentityFactory;
import dev.idempotency.maintenance.CommandRunner;
import dev.idempotency.maintenance.IdempotencyReaper;
import dev.idempotency.maintenance.OperatorViews;
import dev.idempotency.operator.AccountPurge;
import dev.idempotency.operator.UnfinishedRequests;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.UnfinishedStore;

/**
 * The engine, and the operators' view of its store.
 */
@AutoConfiguration(afterName = { "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
		"org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration" })
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
@ConditionalOnClass({ PlatformTransactionManager.class, JsonMapper.class })
@ConditionalOnBean(IdempotencyStore.class)
@EnableConfigurationProperties({ IdempotencyProperties.class, ExecutionProperties.class })
@ImportRuntimeHints(IdempotencyAutoConfiguration.Hints.class)
@Import({ EnforcementImport.class, TransactionManagerSelector.class, OperationsConfiguration.class })
public final class IdempotencyAutoConfiguration {

	@Bean
	OperationFactory idempotencyOperationFactory(IdempotencyProperties properties, ExecutionProperties execution,
			ConfigurableBeanFactory beanFactory, TransactionManagerSelector transactionManagers) {
		return new OperationFactory(properties.toDefaults(execution.retention()),
				new EmbeddedValueResolver(beanFactory), transactionManagers::isSelected);
	}

	@Bean
	@ConditionalOnMissingBean
	ScopeResolver idempotencyScopeResolver() {
		return IdentityFactory::defaultScopeName;
	}

	@Bean
	@ConditionalOnMissingBean
	OutcomePolicy idempotencyOutcomePolicy(ExecutionProperties properties) {
		return new DefaultOutcomePolicy(properties.outcome().storeServerErrors());
	}

	@Bean
	IdentityFactory idempotencyIdentityFactory(IdempotencyProperties properties, Environment environment,
			ScopeResolver scopeResolver) {
		return new IdentityFactory(properties.namespaceIn(environment), scopeResolver, properties.secret().toKeys());
	}

	@Bean
	ProtectionNotices idempotencyProtectionNotices(IdempotencyProperties properties, OperationFactory operations,
			Environment environment) {
		return new ProtectionNotices(properties, operations, environment);
	}

	@Bean
	NotificationPublisher idempotencyEventPublisher(ObjectProvider<IdempotencyListener> listeners) {
		return new NotificationPublisher(listeners.orderedStream().toList());
	}

	@Bean
	LeaseKeeper idempotencyLeaseKeeper(ObjectProvider<IdempotencyStore> store, NotificationPublisher notifications,
			ExecutionProperties properties) {
		return new LeaseKeeper(() -> LeaseKeeper.requireLeases(store.getObject(), "A request"),
				properties.toEngineSettings().lease(), notifications);
	}

	/**
	 * Spring Boot composes all task decorators. Where a single one is injected, it is
	 * that of the application.
	 */
	@Bean
	@Fallback
	static RequestTransactions idempotencyRequestTransactions(
			ObjectProvider<TransactionManagerSelector> transactionManagers, ObjectProvider<ResourceDisposer> disposer) {
		return new RequestTransactions(() -> transactionManagers.getObject().select(),
				(resource) -> disposer.ifAvailable((available) -> available.dispose(resource)));
	}

	@Bean
	ContentCodec idempotencyContentCodec(ResponseCodec codec, IdentityFactory identities) {
		return new ContentCodec(identities.namespace(), codec);
	}

	@Bean
	IdempotencyEngine idempotencyEngine(IdempotencyStore store, TransactionManagerSelector transactionManagers,
			ContentCodec codec, ObjectProvider<AnswerCache> cache, NotificationPublisher notifications,
			LeaseKeeper keeper, RequestTransactions transactions, ObjectProvider<ObservationRegistry> observations,
			ExecutionProperties properties) {
		transactionManagers.addListener(transactions.listener());
		transactionManagers.watchOthers(transactions);
		return new IdempotencyEngine(store, transactionManagers.select(), codec,
				cache.getIfAvailable(AnswerCache::none), notifications, keeper, transactions,
				observations.getIfUnique(() -> ObservationRegistry.NOOP), properties.toEngineSettings());
	}

	@Bean
	CallerAccounts idempotencyCallerAccounts(AccountResolver accountResolver, ObjectProvider<TenantSource> tenants,
			ObjectProvider<SenderSource> senders, IdempotencyProperties properties) {
		boolean web = ClassUtils.isPresent("org.springframework.web.context.request.RequestContextHolder",
				getClass().getClassLoader());
		return new CallerAccounts(accountResolver, tenants.getIfAvailable(() -> TenantSource.NONE),
				senders.getIfAvailable(() -> SenderSource.ACCOUNTS), properties.anonymous(),
				web ? () -> RequestContextHolder.getRequestAttributes() != null : () -> false,
				properties.key().minLengthAnonymous());
	}

	@Bean
	ReplayChecks idempotencyReplayChecks(ObjectProvider<ReplayAuthorizer> authorizers) {
		return new ReplayChecks(() -> authorizers.orderedStream().toList());
	}

	@Bean
	@Lazy
	@ConditionalOnBean(UnfinishedStore.class)
	@ConditionalOnMissingBean
	UnfinishedRequests idempotencyUnfinishedRequests(UnfinishedStore unfinished, IdempotencyStore store,
			ContentCodec codec, ObjectProvider<CommandRunner> runners, IdempotencyProperties properties) {
		return OperatorViews.requests(unfinished, LeaseKeeper.requireLeases(store, "UnfinishedRequests"), codec,
				runners, properties.ttl());
	}

	@Bean
	@Lazy
	@ConditionalOnBean(OperatorStore.class)
	@ConditionalOnMissingBean
	AccountPurge idempotencyAccountPurge(OperatorStore store, IdentityFactory identities,
			ObjectProvider<AnswerCache> cache) {
		return OperatorViews.purge(store, identities, cache.getIfAvailable(AnswerCache::none),
				IdempotencyReaper.BATCH_SIZE);
	}

	/**
	 * Annotations with attributes that come from a meta-annotation are proxies.
	 */
	static final class Hints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			hints.proxies().registerJdkProxy(Idempotent.class);
		}

	}

}
