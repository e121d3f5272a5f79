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
package dev.idempotency.autoconfigure.jpa;

import dev.idempotency.autoconfigure.guard.UseImport;
import dev.idempotency.autoconfigure.jdbc.BusinessDatabase;
import dev.idempotency.autoconfigure.jdbc.IdempotencyJdbcAutoConfiguration;
import jakarta.persistence.EntityManagerFactory;
import org.hibernate.Session;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Import;

import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jpa.autoconfigure.EntityManagerFactoryBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;
import org.springframework.orm.jpa.JpaTransactionManager;

import dev.idempotency.autoconfigure.jdbc.LibrarySchema;
import dev.idempotency.autoconfigure.jdbc.SchemaProperties;
import dev.idempotency.store.jpa.IdempotencyRecord;

/**
 * The transactions of JPA for the store in SQL, and its entity, registered without
 * touching the application's entity scan.
 */
@AutoConfiguration(after = HibernateJpaAutoConfiguration.class, before = IdempotencyJdbcAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
@ConditionalOnClass({ Session.class, JpaTransactionManager.class, EntityManagerFactoryBuilderCustomizer.class,
		IdempotencyRecord.class })
@ConditionalOnBean(EntityManagerFactory.class)
@EnableConfigurationProperties(SchemaProperties.class)
@ImportRuntimeHints(IdempotencyJpaAutoConfiguration.Hints.class)
@Import(UseImport.class)
public final class IdempotencyJpaAutoConfiguration {

	@Bean
	static EntityRegistration idempotencyEntityRegistration() {
		return new EntityRegistration();
	}

	@Bean
	HibernateSettings idempotencyHibernateSettings(SchemaProperties properties, Environment environment,
			ConfigurableBeanFactory beanFactory) {
		return new HibernateSettings(LibrarySchema.names(properties, environment), beanFactory.getBeanClassLoader());
	}

	@Bean
	JpaTransactionResources idempotencyJpaTransactions(ConfigurableBeanFactory beanFactory) {
		return new JpaTransactionResources(beanFactory);
	}

	@Bean
	HibernateTenants idempotencyHibernateTenants(ObjectProvider<BusinessDatabase> databases,
			JpaTransactionResources transactions) {
		return new HibernateTenants(databases, transactions);
	}

	@Bean
	KeptConnectionCheck idempotencyKeptConnectionCheck(ObjectProvider<BusinessDatabase> databases,
			JpaTransactionResources transactions) {
		return new KeptConnectionCheck(databases, transactions);
	}

	/**
	 * The entity is not in the application's entity scan, from which Spring takes those
	 * that Hibernate reaches by reflection.
	 */
	public static final class Hints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			hints.reflection()
				.registerType(IdempotencyRecord.class, MemberCategory.INVOKE_DECLARED_CONSTRUCTORS,
						MemberCategory.INVOKE_DECLARED_METHODS, MemberCategory.ACCESS_DECLARED_FIELDS);
			if (EntityRegistration.ADD != null) {
				hints.reflection().registerMethod(EntityRegistration.ADD, ExecutableMode.INVOKE);
			}
		}

	}

}
