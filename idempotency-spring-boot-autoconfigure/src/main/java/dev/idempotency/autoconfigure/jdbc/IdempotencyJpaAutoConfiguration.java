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

import jakarta.persistence.EntityManagerFactory;
import org.hibernate.Session;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernatePropertiesCustomizer;
import org.springframework.boot.jpa.autoconfigure.EntityManagerFactoryBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.DecoratingProxy;
import org.springframework.core.env.Environment;
import org.springframework.data.jpa.repository.support.JpaRepositoryFactory;
import org.springframework.data.repository.Repository;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.transaction.interceptor.TransactionalProxy;

import dev.idempotency.autoconfigure.TransactionManagerSelector;
import dev.idempotency.autoconfigure.guard.UseImport;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.store.jpa.HibernateSettings;
import dev.idempotency.store.jpa.IdempotencyRecord;
import dev.idempotency.store.jpa.IdempotencyRecordRepository;

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

	/**
	 * Comes after the application's own, as it has no order.
	 */
	@Bean
	static HibernatePropertiesCustomizer idempotencyHibernateSettings(SchemaProperties properties,
			Environment environment, ConfigurableBeanFactory beanFactory) {
		return new HibernateSettings(properties.names(environment), beanFactory.getBeanClassLoader())::addTo;
	}

	@Bean
	static JpaTransactionResources idempotencyJpaTransactions(
			ObjectProvider<TransactionManagerSelector> transactionManagers, BeanFactory beanFactory) {
		return new JpaTransactionResources(transactionManagers, beanFactory);
	}

	/**
	 * The repository of the stored responses. Spring Data's factory creates it, so that
	 * the application's packages and its own repositories are scanned as usual.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ JpaRepositoryFactory.class, IdempotencyRecordRepository.class })
	@ImportRuntimeHints(RepositoryHints.class)
	static class Records {

		@Bean
		@Lazy
		@DependsOn("idempotencySchemaManagement")
		@ConditionalOnMissingBean
		static IdempotencyRecordRepository idempotencyRecordRepository(TransactionManagerSelector transactionManagers,
				JpaTransactionResources jpa) {
			PlatformTransactionManager transactionManager = transactionManagers.select();
			if (!jpa.areInUse()) {
				throw new InvalidIdempotentException(
						"The idempotency records are not in the database of an entity manager: "
								+ "idempotency.transaction-manager names " + transactionManager.getClass().getName()
								+ ".",
						"Do not inject IdempotencyRecordRepository, or name the transaction manager of the entities.");
			}
			JpaRepositoryFactory factory = new JpaRepositoryFactory(
					SharedEntityManagerCreator.createSharedEntityManager(jpa.entityManagerFactory()));
			factory.addRepositoryProxyPostProcessor((proxy, repository) -> proxy.addAdvice(new TransactionInterceptor(
					(TransactionManager) transactionManager, new AnnotationTransactionAttributeSource())));
			return factory.getRepository(IdempotencyRecordRepository.class);
		}

	}

	/**
	 * The entity is not in the application's entity scan, from which Spring derives the
	 * hints for Hibernate.
	 */
	static final class Hints implements RuntimeHintsRegistrar {

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

	/**
	 * The repository is not a bean that Spring Data prepares.
	 */
	static final class RepositoryHints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			hints.proxies()
				.registerJdkProxy(IdempotencyRecordRepository.class, Repository.class, TransactionalProxy.class,
						SpringProxy.class, Advised.class, DecoratingProxy.class);
			hints.reflection().registerType(IdempotencyRecordRepository.class, MemberCategory.INVOKE_PUBLIC_METHODS);
		}

	}

}
