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

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

import dev.idempotency.autoconfigure.ExecutionProperties;
import dev.idempotency.autoconfigure.IdempotencyAutoConfiguration;
import dev.idempotency.autoconfigure.IdempotencyProperties;
import dev.idempotency.autoconfigure.TransactionManagerSelector;
import dev.idempotency.autoconfigure.guard.DeferredActivation;
import dev.idempotency.autoconfigure.guard.UseImport;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.LeaseStore;
import dev.idempotency.store.NamespaceStore;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.UnfinishedStore;
import dev.idempotency.store.jdbc.JdbcStores;
import dev.idempotency.store.jdbc.StoreConnections;

/**
 * The store in SQL and its tables, on the connections of the application's transactions.
 */
@AutoConfiguration(before = IdempotencyAutoConfiguration.class,
		afterName = { "org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration",
				"org.springframework.boot.transaction.jta.autoconfigure.JtaAutoConfiguration" })
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
@ConditionalOnClass({ DataSourceTransactionManager.class, JdbcStores.class })
@ConditionalOnBean(PlatformTransactionManager.class)
@Conditional(IdempotencyJdbcAutoConfiguration.OnDatabase.class)
@EnableConfigurationProperties({ IdempotencyProperties.class, ExecutionProperties.class, SchemaProperties.class })
@ImportRuntimeHints(IdempotencyJdbcAutoConfiguration.Hints.class)
@Import(UseImport.class)
public final class IdempotencyJdbcAutoConfiguration {

	@Bean
	@Lazy
	static TransactionManagerSelector idempotencyTransactionManagers(ListableBeanFactory beanFactory,
			IdempotencyProperties properties) {
		return new TransactionManagerSelector(beanFactory, properties);
	}

	@Bean
	static BusinessDatabase idempotencyBusinessDatabase(TransactionManagerSelector transactionManagers,
			BeanFactory beanFactory, IdempotencyProperties properties, SchemaProperties schema,
			DeferredActivation use) {
		return new BusinessDatabase(transactionManagers, beanFactory, properties, schema, use);
	}

	@Bean
	@DependsOnDatabaseInitialization
	static SchemaManagement idempotencySchemaManagement(BusinessDatabase database,
			ConfigurableListableBeanFactory beanFactory, SchemaProperties properties, DeferredActivation use) {
		return new SchemaManagement(database, beanFactory, properties, use);
	}

	/**
	 * The connections of the store's statements. An application's own store does not need
	 * them. Beans that use them are created after the migration.
	 */
	@Bean
	@Lazy
	@DependsOn("idempotencySchemaManagement")
	static StoreConnections idempotencyStoreConnections(BusinessDatabase database) {
		return database.connections();
	}

	@Bean
	@ConditionalOnMissingBean({ UnfinishedStore.class, IdempotencyStore.class })
	static UnfinishedStore idempotencyUnfinishedStore(StoreConnections connections, BusinessDatabase database) {
		return database.stores(connections).unfinished();
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean({ OperatorStore.class, IdempotencyStore.class })
	static OperatorStore idempotencyOperatorStore(StoreConnections connections, BusinessDatabase database) {
		return database.stores(connections).operators();
	}

	@Bean
	@DependsOn("idempotencySchemaManagement")
	@ConditionalOnMissingBean({ NamespaceStore.class, IdempotencyStore.class })
	static NamespaceStore idempotencyNamespaceStore(BusinessDatabase database) {
		return database.stores(database.checkingConnections()).namespaces();
	}

	@Bean
	@ConditionalOnMissingBean(IdempotencyStore.class)
	static LeaseStore idempotencyStore(StoreConnections connections, BusinessDatabase database,
			BeanFactory beanFactory) {
		return database.stores(connections)
			.store(() -> UnpooledConnections.beside(connections.dataSource(), beanFactory));
	}

	/**
	 * The scripts.
	 */
	static final class Hints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			hints.resources().registerPattern("db/idempotency/**");
		}

	}

	/**
	 * An entity manager factory may have a data source that is not a bean.
	 */
	static class OnDatabase extends AnyNestedCondition {

		OnDatabase() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@ConditionalOnBean(DataSource.class)
		static class OnDataSource {

		}

		@ConditionalOnBean(JpaTransactionResources.class)
		static class OnEntityManagerFactory {

		}

	}

}
