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
package dev.idempotency.autoconfigure.jdbc;

import java.time.Clock;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

import dev.idempotency.autoconfigure.IdempotencyProperties;
import dev.idempotency.autoconfigure.guard.EnforcementImport;
import dev.idempotency.store.NamespaceStore;

/**
 * Checks that the secret of identities is that of earlier starts. With
 * {@code idempotency.schema.management=none} no connection is used.
 */
@AutoConfiguration(after = IdempotencyJdbcAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
@ConditionalOnBean(NamespaceStore.class)
@Conditional(IdempotencySecretAutoConfiguration.OnManagedSchema.class)
@Import(EnforcementImport.class)
public final class IdempotencySecretAutoConfiguration {

	@Bean
	static SecretCheck idempotencySecretCheck(NamespaceStore store, IdempotencyProperties properties,
			Environment environment) {
		return new SecretCheck(store, properties.secret(), properties.namespaceIn(environment), Clock.systemUTC());
	}

	/**
	 * Matches unless schema management is off.
	 */
	static class OnManagedSchema extends NoneNestedConditions {

		OnManagedSchema() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@ConditionalOnProperty(name = "idempotency.schema.management", havingValue = "none")
		static class None {

		}

	}

}
