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

import org.springdoc.core.customizers.GlobalOperationCustomizer;
import org.springdoc.core.utils.SpringDocUtils;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

import dev.idempotency.autoconfigure.guard.EnforcementImport;
import dev.idempotency.phase.Phases;
import dev.idempotency.web.endpoint.EndpointRegistry;
import dev.idempotency.web.endpoint.WebSettings;
import dev.idempotency.web.fingerprint.FingerprintStrategy;
import dev.idempotency.web.key.KeyResolver;
import dev.idempotency.web.openapi.IdempotencyOpenApiCustomizer;

/**
 * Protected operations in the OpenAPI documents of springdoc.
 */
@AutoConfiguration(after = IdempotencyWebMvcAutoConfiguration.class)
@ConditionalOnClass({ GlobalOperationCustomizer.class, EndpointRegistry.class })
@ConditionalOnBooleanProperty(name = "idempotency.openapi.enabled", matchIfMissing = true)
@ConditionalOnBean(EndpointRegistry.class)
@Import(EnforcementImport.class)
public final class IdempotencyOpenApiAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	IdempotencyOpenApiCustomizer idempotencyOpenApiCustomizer(EndpointRegistry registry, WebSettings settings,
			ObjectProvider<KeyResolver> ownKeys, ObjectProvider<FingerprintStrategy> ownFingerprints) {
		// Comes from the library, not from the request
		SpringDocUtils.getConfig().addRequestWrapperToIgnore(Phases.class);
		return new IdempotencyOpenApiCustomizer(registry, settings, ownKeys.getIfAvailable(),
				ownFingerprints.getIfAvailable());
	}

}
