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

import dev.idempotency.autoconfigure.guard.LibraryUse;
import dev.idempotency.autoconfigure.guard.UseImport;
import dev.idempotency.store.Shard;
import dev.idempotency.store.Shards;
import dev.idempotency.store.jdbc.connection.StoreConnections;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/**
 * Creates the migration of the tables, for any tool. Lazy, so that an application that
 * does not use the library does not touch its database.
 */
@Lazy
final class SchemaMigrations {

	private final BusinessDatabase database;

	private final MigrationDataSources dataSources;

	private final LibrarySchema schema;

	private final int partitions;

	SchemaMigrations(BusinessDatabase database, ConfigurableListableBeanFactory beanFactory, Environment environment,
			SchemaProperties properties, LibraryUse use) {
		this.database = database;
		this.dataSources = new MigrationDataSources(beanFactory, environment, use);
		this.schema = LibrarySchema.of(properties, environment);
		this.partitions = properties.partitions();
	}

	/**
	 * Makes the migration.
	 * @param tool the tool whose settings count, as its properties under {@code spring}
	 * are named
	 * @param qualifier the name of the annotation that marks the tool's own data source
	 * @param migrator makes the migrator
	 * @return the migration
	 */
	IdempotencySchemaMigration by(String tool, String qualifier, MigratorFactory migrator) {
		return new IdempotencySchemaMigration(() -> (this.database.shards() == Shards.ONE)
				? this.dataSources.choose(this.database.dataSource(), tool, qualifier) : this.database.dataSource(),
				migrator.create(this.schema, this.partitions), Shard.all(this.database.shards()));
	}

	/**
	 * Makes the migrator of a tool.
	 */
	@FunctionalInterface
	interface MigratorFactory {

		IdempotencySchemaMigration.Migrator create(LibrarySchema schema, int partitions);

	}

	/**
	 * The configuration that the tools have in common.
	 */
	@Target(ElementType.TYPE)
	@Retention(RetentionPolicy.RUNTIME)
	@Documented
	@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
	@ConditionalOnBean(StoreConnections.class)
	@ImportRuntimeHints(IdempotencyFlywayAutoConfiguration.Hints.class)
	@EnableConfigurationProperties(SchemaProperties.class)
	@Import({ UseImport.class, SchemaMigrations.class })
	@interface Configuration {

	}

}
