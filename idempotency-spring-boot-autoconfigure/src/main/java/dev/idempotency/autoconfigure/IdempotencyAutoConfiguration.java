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

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
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
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.util.StringUtils;

import dev.idempotency.IdempotencyListener;
import dev.idempotency.IdempotencyOperations;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Scope;
import dev.idempotency.Idempotent;
import dev.idempotency.InFlightPolicy;
import dev.idempotency.OutcomePolicy;
import dev.idempotency.ReplayAuthorizer;
import dev.idempotency.ScopeResolver;
import dev.idempotency.account.AccountResolver;
import dev.idempotency.aop.AnnotatedTypes;
import dev.idempotency.aop.EndpointProtection;
import dev.idempotency.aop.IdempotentAdvisor;
import dev.idempotency.aop.ListenerProtection;
import dev.idempotency.aop.OperationProtection;
import dev.idempotency.aop.OperationResolver;
import dev.idempotency.autoconfigure.guard.EnforcementImport;
import dev.idempotency.codec.ResponseCodec;
import dev.idempotency.engine.IdempotencyEngine;
import dev.idempotency.engine.OperationCalls;
import dev.idempotency.engine.PhaseSettings;
import dev.idempotency.engine.ReplayChecks;
import dev.idempotency.engine.execution.AnswerCache;
import dev.idempotency.engine.identity.CallerAccounts;
import dev.idempotency.engine.identity.IdentityFactory;
import dev.idempotency.engine.lease.LeaseFence;
import dev.idempotency.engine.lease.LeaseKeeper;
import dev.idempotency.engine.lease.LeaseSettings;
import dev.idempotency.engine.lease.RequiredLeases;
import dev.idempotency.engine.lease.UnfencedWrites;
import dev.idempotency.engine.observation.NotificationPublisher;
import dev.idempotency.engine.observation.StageObserver;
import dev.idempotency.engine.operation.InFlight;
import dev.idempotency.engine.operation.OperationDefaults;
import dev.idempotency.engine.operation.OperationFactory;
import dev.idempotency.engine.operation.Retention;
import dev.idempotency.engine.transaction.CommitFailure;
import dev.idempotency.engine.transaction.ResourceDisposer;
import dev.idempotency.engine.transaction.ThreadGuard;
import dev.idempotency.job.StagedJobs;
import dev.idempotency.maintenance.CommandRunner;
import dev.idempotency.maintenance.OperatorViews;
import dev.idempotency.operator.AccountPurge;
import dev.idempotency.operator.UnfinishedRequests;
import dev.idempotency.phase.PhaseOperations;
import dev.idempotency.phase.Phases;
import dev.idempotency.phase.TransientFailurePolicy;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.Shards;
import dev.idempotency.store.UnfinishedStore;

/**
 * The engine, the aspect and {@link IdempotencyOperations}.
 */
@AutoConfiguration(afterName = { "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
		"org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration" })
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
@ConditionalOnClass({ PlatformTransactionManager.class, JsonMapper.class })
@ConditionalOnBean(IdempotencyStore.class)
@EnableConfigurationProperties(IdempotencyProperties.class)
@ImportRuntimeHints(IdempotencyAutoConfiguration.Hints.class)
@Import(EnforcementImport.class)
public final class IdempotencyAutoConfiguration {

	/**
	 * An own store of the application needs no database.
	 */
	@Bean
	@ConditionalOnMissingBean
	TransactionManagerSelector idempotencyTransactionManagers(BeanFactory beanFactory,
			IdempotencyProperties properties) {
		return new TransactionManagerSelector(beanFactory, properties.transactionManager());
	}

	@Bean
	OperationDefaults idempotencyOperationDefaults(IdempotencyProperties properties) {
		return new OperationDefaults(properties.scope().scope(), properties.mode().mode(), properties.required(),
				properties.ttl());
	}

	@Bean
	OperationFactory idempotencyOperationFactory(OperationDefaults defaults, ConfigurableBeanFactory beanFactory) {
		return new OperationFactory(defaults, new EmbeddedValueResolver(beanFactory));
	}

	@Bean
	@ConditionalOnMissingBean
	ScopeResolver idempotencyScopeResolver() {
		return IdentityFactory::defaultScopeName;
	}

	@Bean
	@ConditionalOnMissingBean
	OutcomePolicy idempotencyOutcomePolicy(IdempotencyProperties properties) {
		return new DefaultOutcomePolicy(properties.outcome().storeServerErrors());
	}

	@Bean
	IdentityFactory idempotencyIdentityFactory(IdempotencyProperties properties, Environment environment,
			ScopeResolver scopeResolver) {
		return new IdentityFactory(Namespace.of(properties, environment), scopeResolver, properties.secret().toKeys());
	}

	@Bean
	SecretNotice idempotencySecretNotice(IdempotencyProperties properties, OperationFactory operations) {
		return new SecretNotice(properties.secret(), operations);
	}

	@Bean
	AnonymousNotice idempotencyAnonymousNotice(IdempotencyProperties properties, OperationFactory operations) {
		return new AnonymousNotice(properties.anonymous(), properties.key().minLengthAnonymous(), operations);
	}

	@Bean
	NotificationPublisher idempotencyEventPublisher(ObjectProvider<IdempotencyListener> listeners) {
		return new NotificationPublisher(listeners.orderedStream().toList());
	}

	@Bean
	LeaseKeeper idempotencyLeaseKeeper(ObjectProvider<IdempotencyStore> store, NotificationPublisher notifications,
			IdempotencyProperties properties, ObjectProvider<Shards> shards) {
		LeaseProperties lease = properties.lease();
		return new LeaseKeeper(() -> RequiredLeases.of(store.getObject(), "A request"),
				new LeaseSettings(lease.duration(), lease.heartbeat(), lease.max(), lease.onExpiry(),
						properties.completer().maxAttempts(), properties.limits().toLeaseLimits()),
				notifications, shards.getIfAvailable(() -> Shards.ONE));
	}

	/**
	 * Spring Boot composes all task decorators that there are. Where one is injected it
	 * is the application's own.
	 */
	@Bean
	@Fallback
	static LeaseFence idempotencyLeaseFence(ObjectProvider<UnfencedWrites> unfenced) {
		return new LeaseFence(() -> unfenced.getIfAvailable(() -> UnfencedWrites.UNNOTICED));
	}

	@Bean
	IdempotencyEngine idempotencyEngine(IdempotencyStore store, TransactionManagerSelector transactionManagers,
			ResponseCodec codec, ObjectProvider<AnswerCache> cache, NotificationPublisher notifications,
			LeaseKeeper keeper, LeaseFence fence, ObjectProvider<UnfencedWrites> unfenced, ThreadGuard threads,
			PhaseSettings phaseSettings, ObjectProvider<StageObserver> stages, IdempotencyProperties properties,
			ListableBeanFactory beanFactory) {
		PlatformTransactionManager transactionManager = transactionManagers.select();
		if (transactionManager instanceof ConfigurableTransactionManager configurable) {
			configurable.addListener(fence.listener());
			configurable.addListener(threads.listener());
			unfenced.ifAvailable((writes) -> configurable.addListener(writes.listener()));
		}
		OtherTransactionManagers others = OtherTransactionManagers.of(beanFactory);
		others.requireChoice(transactionManager, StringUtils.hasText(properties.transactionManager()));
		others.watch(transactionManager, threads);
		InFlightProperties inFlight = properties.inFlight();
		return new IdempotencyEngine(store, transactionManager, codec, cache.getIfAvailable(AnswerCache::none),
				new Retention(properties.retention().clientError(), properties.retention().serverError()),
				notifications,
				new InFlight((inFlight.policy() == InFlightPolicy.WAIT) ? inFlight.maxWait() : Duration.ZERO,
						inFlight.retryAfter()),
				keeper, fence, phaseSettings, stages.getIfAvailable(() -> StageObserver.NONE),
				properties.limits().maxKeysPerTransaction());
	}

	@Bean
	ThreadGuard idempotencyThreadGuard(TransactionManagerSelector transactionManagers, LeaseFence fence,
			ObjectProvider<ResourceDisposer> disposer) {
		return new ThreadGuard(transactionManagers::select, fence, disposer.getIfAvailable(() -> (resource) -> {
		}));
	}

	@Bean
	PhaseSettings idempotencyPhaseSettings(IdempotencyProperties properties) {
		PhaseProperties phase = properties.phase();
		return new PhaseSettings(phase.isolation(),
				RetryPolicy.builder()
					.maxRetries(phase.retry().maxAttempts())
					.delay(phase.retry().delay())
					.multiplier(2)
					.maxDelay(phase.retry().maxDelay())
					.jitter(phase.retry().delay())
					.predicate(CommitFailure::isConflict)
					.build());
	}

	@Bean
	CallerAccounts idempotencyCallerAccounts(AccountResolver accountResolver, IdempotencyProperties properties) {
		return new CallerAccounts(accountResolver, properties.anonymous(), new CallerPresence(),
				properties.key().minLengthAnonymous());
	}

	@Bean
	ReplayChecks idempotencyReplayChecks(ObjectProvider<ReplayAuthorizer> authorizers) {
		return new ReplayChecks(() -> authorizers.orderedStream().toList());
	}

	@Bean
	@Lazy
	OperationCalls idempotencyOperationCalls(IdentityFactory identities, CallerAccounts accounts,
			OperationDefaults defaults, ObjectProvider<JsonMapper> mapper) {
		return new OperationCalls(identities, accounts, defaults, mapper.getIfAvailable(JsonMapper::shared));
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	TransientFailurePolicy idempotencyTransientFailurePolicy() {
		return new DefaultTransientFailurePolicy();
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	Phases idempotencyPhases(LeaseFence fence, PhaseSettings settings, ObjectProvider<JsonMapper> mapper,
			TransientFailurePolicy failures, ObjectProvider<StagedJobs> jobs) {
		return OperationCalls.phases(fence, settings, mapper.getIfAvailable(JsonMapper::shared), failures, jobs);
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	IdempotencyOperations idempotencyOperations(OperationCalls calls, IdempotencyEngine engine, ReplayChecks replays,
			ThreadGuard threads) {
		return calls.operations(engine, replays, threads);
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	PhaseOperations idempotencyPhaseOperations(OperationCalls calls, IdempotencyEngine engine, Phases phases,
			ReplayChecks replays, ThreadGuard threads) {
		return calls.operations(engine, phases, replays, threads);
	}

	@Bean
	@ConditionalOnBean(UnfinishedStore.class)
	@ConditionalOnMissingBean
	UnfinishedRequests idempotencyUnfinishedRequests(UnfinishedStore unfinished, IdempotencyStore store,
			ResponseCodec codec, ObjectProvider<CommandRunner> runners, OperationDefaults defaults,
			ObjectProvider<Shards> shards) {
		return OperatorViews.requests(unfinished, RequiredLeases.of(store, "UnfinishedRequests"), codec, runners,
				defaults.ttl(), shards.getIfAvailable(() -> Shards.ONE));
	}

	@Bean
	@Lazy
	@ConditionalOnBean(OperatorStore.class)
	@ConditionalOnMissingBean
	AccountPurge idempotencyAccountPurge(OperatorStore store, IdentityFactory identities,
			ObjectProvider<AnswerCache> cache, IdempotencyProperties properties) {
		return OperatorViews.purge(store, identities, cache.getIfAvailable(AnswerCache::none),
				properties.reaper().batchSize());
	}

	@Bean
	@Lazy
	OperationResolver idempotencyOperationResolver(OperationFactory factory,
			ObjectProvider<ListenerProtection> listeners, OperationDefaults defaults) {
		ListenerProtection listener = listeners.getIfAvailable();
		return new OperationResolver(factory,
				(listener != null)
						? new OperationDefaults(Scope.ENDPOINT, Mode.TRANSACTIONAL, defaults.required(), listener.ttl())
						: null);
	}

	@Bean
	@Lazy
	OperationProtection idempotencyOperationProtection(IdempotencyOperations operations, OperationResolver resolver,
			ObjectProvider<ListenerProtection> listeners) {
		return new OperationProtection(operations, resolver, listeners.getIfAvailable());
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static IdempotentAdvisor idempotentAdvisor(ObjectProvider<EndpointProtection> endpoints,
			ObjectProvider<OperationProtection> operations, ObjectProvider<AnnotatedTypes> types) {
		return new IdempotentAdvisor(endpoints, operations, types.getIfAvailable(AnnotatedTypes::new));
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
