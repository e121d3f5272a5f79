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

import java.time.Clock;

import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestContextHolder;

import dev.idempotency.IdempotencyListener;
import dev.idempotency.IdempotencyOperations;
import dev.idempotency.Idempotent;
import dev.idempotency.OutcomePolicy;
import dev.idempotency.ReplayAuthorizer;
import dev.idempotency.ScopeResolver;
import dev.idempotency.account.Account;
import dev.idempotency.account.AccountResolver;
import dev.idempotency.account.AccountRunner;
import dev.idempotency.aop.ClaimedBody;
import dev.idempotency.aop.EndpointProtection;
import dev.idempotency.aop.IdempotentAdvisor;
import dev.idempotency.aop.OperationProtection;
import dev.idempotency.autoconfigure.guard.EnforcementImport;
import dev.idempotency.codec.ResponseCodec;
import dev.idempotency.engine.EngineSettings;
import dev.idempotency.engine.IdempotencyEngine;
import dev.idempotency.engine.LeaseKeeper;
import dev.idempotency.engine.NotificationPublisher;
import dev.idempotency.engine.OperationCalls;
import dev.idempotency.engine.OperationFactory;
import dev.idempotency.engine.RequestTransactions;
import dev.idempotency.engine.ResponseCache;
import dev.idempotency.engine.StartupCheck;
import dev.idempotency.engine.codec.ContentCodec;
import dev.idempotency.engine.identity.CallerAccounts;
import dev.idempotency.engine.identity.CallerAccounts.SenderSource;
import dev.idempotency.engine.identity.CallerAccounts.TenantSource;
import dev.idempotency.engine.identity.IdentityFactory;
import dev.idempotency.job.StagedJobs;
import dev.idempotency.maintenance.CommandRunner;
import dev.idempotency.maintenance.IdempotencyReaper;
import dev.idempotency.maintenance.OperatorViews;
import dev.idempotency.operator.AccountPurge;
import dev.idempotency.operator.UnfinishedRequests;
import dev.idempotency.phase.PhaseOperations;
import dev.idempotency.phase.Phases;
import dev.idempotency.phase.TransientFailurePolicy;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.NamespaceStore;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.UnfinishedStore;
import dev.idempotency.store.jdbc.StoreConnections;

/**
 * The engine, the operations of services and the aspect around annotated methods, the
 * deletion of expired responses, and the operators' view of the store.
 */
@AutoConfiguration(afterName = { "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
		"org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration" })
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
@ConditionalOnClass({ PlatformTransactionManager.class, JsonMapper.class })
@ConditionalOnBean(IdempotencyStore.class)
@EnableConfigurationProperties({ IdempotencyProperties.class, ExecutionProperties.class })
@ImportRuntimeHints(IdempotencyAutoConfiguration.Hints.class)
@Import(EnforcementImport.class)
public final class IdempotencyAutoConfiguration {

	private static final String SPRING_SECURITY = "org.springframework.security.core.context.SecurityContextHolder";

	private static final AccountResolver SHARED_ACCOUNT = () -> Account.SHARED;

	private static final boolean JDBC = ClassUtils.isPresent("dev.idempotency.store.jdbc.StoreConnections",
			IdempotencyAutoConfiguration.class.getClassLoader());

	private final IdempotencyProperties properties;

	private final ExecutionProperties execution;

	private final OperationFactory.Defaults defaults;

	private final EngineSettings settings;

	IdempotencyAutoConfiguration(IdempotencyProperties properties, ExecutionProperties execution) {
		this.properties = properties;
		this.execution = execution;
		this.defaults = properties.toDefaults(execution.retention());
		this.settings = execution.toEngineSettings();
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean(name = "idempotencyTransactionManagers")
	static TransactionManagerSelector idempotencyTransactionManagers(ListableBeanFactory beanFactory,
			IdempotencyProperties properties) {
		return new TransactionManagerSelector(beanFactory, properties);
	}

	@Bean
	OperationFactory idempotencyOperationFactory(ConfigurableBeanFactory beanFactory,
			TransactionManagerSelector transactionManagers) {
		return new OperationFactory(this.defaults, new EmbeddedValueResolver(beanFactory),
				transactionManagers::isSelected);
	}

	@Bean
	@ConditionalOnMissingBean
	ScopeResolver idempotencyScopeResolver() {
		return IdentityFactory::defaultScopeName;
	}

	@Bean
	@ConditionalOnMissingBean
	OutcomePolicy idempotencyOutcomePolicy() {
		return new DefaultOutcomePolicy(this.execution.outcome().storeServerErrors());
	}

	@Bean
	IdentityFactory idempotencyIdentityFactory(Environment environment, ScopeResolver scopeResolver) {
		return new IdentityFactory(this.properties.namespaceIn(environment), scopeResolver,
				this.properties.secret().toKeys());
	}

	@Bean
	ProtectionNotices idempotencyProtectionNotices(OperationFactory operations,
			ObjectProvider<AccountResolver> accountResolver, Environment environment) {
		return new ProtectionNotices(this.properties, operations, accountResolver.getIfUnique() == SHARED_ACCOUNT,
				environment);
	}

	/**
	 * With {@code idempotency.schema.management=none} no connection is used at the start.
	 */
	@Bean
	@ConditionalOnBean(NamespaceStore.class)
	StartupCheck idempotencySecretCheck(NamespaceStore store, Environment environment) {
		return "none".equalsIgnoreCase(environment.getProperty("idempotency.schema.management")) ? () -> {
		} : new SecretCheck(store, this.properties.secret(), this.properties.namespaceIn(environment),
				Clock.systemUTC());
	}

	@Bean
	NotificationPublisher idempotencyEventPublisher(ObjectProvider<IdempotencyListener> listeners) {
		return new NotificationPublisher(listeners.orderedStream().toList());
	}

	@Bean
	LeaseKeeper idempotencyLeaseKeeper(ObjectProvider<IdempotencyStore> store, NotificationPublisher notifications) {
		return new LeaseKeeper(() -> LeaseKeeper.requireLeases(store.getObject(), "A request"), this.settings.lease(),
				notifications);
	}

	/**
	 * Spring Boot composes all task decorators. Where a single one is injected, it is the
	 * application's.
	 */
	@Bean
	@Fallback
	static RequestTransactions idempotencyRequestTransactions(
			ObjectProvider<TransactionManagerSelector> transactionManagers) {
		return new RequestTransactions(() -> transactionManagers.getObject().select(), (resource) -> {
			if (JDBC) {
				StoreConnections.abort(resource);
			}
		});
	}

	@Bean
	@ConditionalOnMissingBean
	ResponseCodec idempotencyResponseCodec() {
		return this.execution.toCodec();
	}

	@Bean
	ContentCodec idempotencyContentCodec(ResponseCodec codec, IdentityFactory identities) {
		return new ContentCodec(identities.namespace(), codec);
	}

	@Bean
	IdempotencyEngine idempotencyEngine(IdempotencyStore store, TransactionManagerSelector transactionManagers,
			ContentCodec codec, ObjectProvider<ResponseCache> cache, NotificationPublisher notifications,
			LeaseKeeper keeper, RequestTransactions transactions, ObjectProvider<ObservationRegistry> observations,
			ObjectProvider<ReplayAuthorizer> authorizers) {
		transactionManagers.addListener(transactions.listener());
		transactionManagers.watchOthers(transactions);
		return new IdempotencyEngine(store, transactionManagers.select(), codec,
				cache.getIfAvailable(() -> ResponseCache.NONE), notifications, keeper, transactions,
				observations.getIfUnique(() -> ObservationRegistry.NOOP), () -> authorizers.orderedStream().toList(),
				this.settings);
	}

	/**
	 * The only account of an application without Spring Security, whose users need not be
	 * checked before a request of theirs is completed.
	 */
	@Bean
	@ConditionalOnMissingClass(SPRING_SECURITY)
	@ConditionalOnMissingBean({ AccountResolver.class, AccountRunner.class })
	AccountRunner idempotencyAccountRunner() {
		return (sender, work) -> work.run();
	}

	@Bean
	@ConditionalOnMissingClass(SPRING_SECURITY)
	@ConditionalOnMissingBean
	AccountResolver idempotencyAccountResolver() {
		return SHARED_ACCOUNT;
	}

	@Bean
	CallerAccounts idempotencyCallerAccounts(AccountResolver accountResolver, ObjectProvider<TenantSource> tenants,
			ObjectProvider<SenderSource> senders) {
		boolean web = ClassUtils.isPresent("org.springframework.web.context.request.RequestContextHolder",
				getClass().getClassLoader());
		return new CallerAccounts(accountResolver, tenants.getIfAvailable(() -> TenantSource.NONE),
				senders.getIfAvailable(() -> SenderSource.ACCOUNTS), this.properties.anonymous(),
				web ? () -> RequestContextHolder.getRequestAttributes() != null : () -> false,
				this.properties.key().minLengthAnonymous());
	}

	@Bean
	@ConditionalOnBooleanProperty(name = "idempotency.reaper.enabled", matchIfMissing = true)
	@ConditionalOnMissingBean
	IdempotencyReaper idempotencyReaper(IdempotencyStore store, ObjectProvider<UnfinishedStore> unfinished,
			NotificationPublisher notifications) {
		ExecutionProperties.Reaper reaper = this.execution.reaper();
		return new IdempotencyReaper(store, unfinished.getIfAvailable(), notifications,
				new IdempotencyReaper.Schedule(reaper.interval(), this.execution.completer().maxAttempts(),
						reaper.keepUnfinished(), reaper.keepStuckRequests()));
	}

	@Bean
	@Lazy
	@ConditionalOnBean(UnfinishedStore.class)
	@ConditionalOnMissingBean
	UnfinishedRequests idempotencyUnfinishedRequests(UnfinishedStore unfinished, IdempotencyStore store,
			ContentCodec codec, ObjectProvider<CommandRunner> runners) {
		return OperatorViews.requests(unfinished, LeaseKeeper.requireLeases(store, "UnfinishedRequests"), codec,
				runners, this.properties.ttl());
	}

	@Bean
	@Lazy
	@ConditionalOnBean(OperatorStore.class)
	@ConditionalOnMissingBean
	AccountPurge idempotencyAccountPurge(OperatorStore store, IdentityFactory identities,
			ObjectProvider<ResponseCache> cache) {
		return OperatorViews.purge(store, identities, cache.getIfAvailable(() -> ResponseCache.NONE),
				IdempotencyReaper.BATCH_SIZE);
	}

	@Bean
	@Lazy
	OperationCalls idempotencyOperationCalls(IdentityFactory identities, CallerAccounts accounts,
			ObjectProvider<JsonMapper> mapper) {
		return new OperationCalls(identities, accounts, this.defaults, mapper.getIfAvailable(JsonMapper::shared));
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	Phases idempotencyPhases(RequestTransactions transactions, ObjectProvider<JsonMapper> mapper,
			ObjectProvider<TransientFailurePolicy> failures, ObjectProvider<StagedJobs> jobs) {
		return OperationCalls.phases(transactions, this.settings, mapper.getIfAvailable(JsonMapper::shared),
				failures.getIfAvailable(DefaultTransientFailurePolicy::new), jobs);
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	IdempotencyOperations idempotencyOperations(OperationCalls calls, IdempotencyEngine engine,
			RequestTransactions transactions) {
		return calls.operations(engine, transactions);
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	PhaseOperations idempotencyPhaseOperations(OperationCalls calls, IdempotencyEngine engine, Phases phases,
			RequestTransactions transactions) {
		return calls.operations(engine, phases, transactions);
	}

	@Bean
	@Lazy
	OperationProtection idempotencyOperationProtection(IdempotencyOperations operations, OperationFactory factory,
			ObjectProvider<OperationProtection.Listeners> listeners) {
		return new OperationProtection(operations, factory, listeners.getIfAvailable());
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static IdempotentAdvisor idempotentAdvisor(ObjectProvider<EndpointProtection> endpoints,
			ObjectProvider<OperationProtection> operations) {
		return new IdempotentAdvisor(endpoints, operations);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static BeanPostProcessor idempotentClaimedBodyProcessor() {
		return ClaimedBody.processor();
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
