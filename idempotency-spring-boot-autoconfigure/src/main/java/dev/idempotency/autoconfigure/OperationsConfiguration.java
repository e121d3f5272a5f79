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

import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.aop.AnnotatedTypes;
import dev.idempotency.aop.ClaimedBody;
import dev.idempotency.aop.EndpointProtection;
import dev.idempotency.aop.IdempotentAdvisor;
import dev.idempotency.aop.OperationProtection;
import dev.idempotency.engine.IdempotencyEngine;
import dev.idempotency.engine.OperationCalls;
import dev.idempotency.engine.OperationFactory;
import dev.idempotency.engine.ReplayChecks;
import dev.idempotency.engine.RequestTransactions;
import dev.idempotency.engine.identity.CallerAccounts;
import dev.idempotency.engine.identity.IdentityFactory;
import dev.idempotency.job.StagedJobs;
import dev.idempotency.phase.PhaseOperations;
import dev.idempotency.phase.Phases;
import dev.idempotency.phase.TransientFailurePolicy;

/**
 * The operations of services, their phases, and the aspect around annotated methods.
 */
@Configuration(proxyBeanMethods = false)
class OperationsConfiguration {

	@Bean
	@Lazy
	OperationCalls idempotencyOperationCalls(IdentityFactory identities, CallerAccounts accounts,
			IdempotencyProperties properties, ExecutionProperties execution, ObjectProvider<JsonMapper> mapper) {
		return new OperationCalls(identities, accounts, properties.toDefaults(execution.retention()),
				mapper.getIfAvailable(JsonMapper::shared));
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
	Phases idempotencyPhases(RequestTransactions transactions, ExecutionProperties properties,
			ObjectProvider<JsonMapper> mapper, TransientFailurePolicy failures, ObjectProvider<StagedJobs> jobs) {
		return OperationCalls.phases(transactions, properties.toEngineSettings(),
				mapper.getIfAvailable(JsonMapper::shared), failures, jobs);
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	IdempotencyOperations idempotencyOperations(OperationCalls calls, IdempotencyEngine engine, ReplayChecks replays,
			RequestTransactions transactions) {
		return calls.operations(engine, replays, transactions);
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	PhaseOperations idempotencyPhaseOperations(OperationCalls calls, IdempotencyEngine engine, Phases phases,
			ReplayChecks replays, RequestTransactions transactions) {
		return calls.operations(engine, phases, replays, transactions);
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
			ObjectProvider<OperationProtection> operations, ObjectProvider<AnnotatedTypes> types) {
		return new IdempotentAdvisor(endpoints, operations, types.getIfAvailable(AnnotatedTypes::new));
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static BeanPostProcessor idempotentClaimedBodyProcessor() {
		return ClaimedBody.processor();
	}

}
