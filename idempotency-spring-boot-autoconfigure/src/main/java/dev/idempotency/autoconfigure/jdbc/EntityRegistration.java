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

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.jpa.EntityManagerFactoryBuilder;
import org.springframework.boot.jpa.autoconfigure.EntityManagerFactoryBuilderCustomizer;
import org.springframework.core.Ordered;
import org.springframework.orm.jpa.persistenceunit.PersistenceUnitPostProcessor;
import org.springframework.util.ClassUtils;

import dev.idempotency.store.jpa.IdempotencyRecord;

/**
 * Adds the library's entity to the persistence units that Spring Boot creates.
 * <p>
 * Spring Boot 4.1 can add a post-processor. 4.0 can only replace those that were set
 * before: there this customizer runs first, so that the application's are kept.
 */
final class EntityRegistration implements EntityManagerFactoryBuilderCustomizer, Ordered {

	/**
	 * {@code null} before Spring Boot 4.1.
	 */
	public static final @Nullable Method ADD = ClassUtils.getMethodIfAvailable(EntityManagerFactoryBuilder.class,
			"addPersistenceUnitPostProcessors", PersistenceUnitPostProcessor[].class);

	@Override
	public void customize(EntityManagerFactoryBuilder builder) {
		PersistenceUnitPostProcessor entity = (unit) -> unit.addManagedClassName(IdempotencyRecord.class.getName());
		if (ADD != null) {
			builder.addPersistenceUnitPostProcessors(entity);
		}
		else {
			builder.setPersistenceUnitPostProcessors(entity);
		}
	}

	@Override
	public int getOrder() {
		return (ADD != null) ? Ordered.LOWEST_PRECEDENCE : Ordered.HIGHEST_PRECEDENCE;
	}

}
