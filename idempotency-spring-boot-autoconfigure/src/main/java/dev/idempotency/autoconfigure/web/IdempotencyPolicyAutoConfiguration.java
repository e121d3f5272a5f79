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
package dev.idempotency.autoconfigure.web;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.StringUtils;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.ServerResponse;

import dev.idempotency.autoconfigure.guard.EnforcementImport;
import dev.idempotency.web.policy.PolicyCatalog;

/**
 * The policy document, at the path that the application gives it. Without a path there is
 * none: the application decides on its publication.
 */
@AutoConfiguration(after = IdempotencyWebMvcAutoConfiguration.class)
@ConditionalOnClass({ RouterFunction.class, PolicyCatalog.class })
@ConditionalOnBean(PolicyCatalog.class)
@Conditional(IdempotencyPolicyAutoConfiguration.OnPath.class)
@Import(EnforcementImport.class)
public final class IdempotencyPolicyAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = "idempotencyPolicyRoute")
	RouterFunction<ServerResponse> idempotencyPolicyRoute(PolicyCatalog policies, IdempotencyWebProperties properties) {
		return policies.documentAt(properties.policy().path());
	}

	/**
	 * An empty path means none.
	 */
	static class OnPath extends SpringBootCondition {

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			boolean path = StringUtils.hasText(context.getEnvironment().getProperty("idempotency.policy.path"));
			return new ConditionOutcome(path,
					ConditionMessage.forCondition("idempotency.policy.path").because(path ? "is set" : "is not set"));
		}

	}

}
