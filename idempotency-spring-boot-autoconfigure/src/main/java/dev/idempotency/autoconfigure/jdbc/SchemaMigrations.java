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

import java.lang.annotation.Annotation;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.function.Function;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

import dev.idempotency.autoconfigure.guard.DeferredActivation;
import dev.idempotency.autoconfigure.guard.UseImport;
import dev.idempotency.autoconfigure.jdbc.IdempotencySchemaMigration.Migrator;
import dev.idempotency.store.jdbc.StoreConnections;

/**
 * Creates the migration of the tables, for any tool. Lazy, so that an application that
 * does not use the library does not touch its database.
 */
@Lazy
final class SchemaMigrations {

	private final BusinessDatabase database;

	private final ConfigurableListableBeanFactory beanFactory;

	private final Environment environment;

	private final DeferredActivation use;

	private final LibrarySchema schema;

	SchemaMigrations(BusinessDatabase database, ConfigurableListableBeanFactory beanFactory, Environment environment,
			SchemaProperties properties, DeferredActivation use) {
		this.database = database;
		this.beanFactory = beanFactory;
		this.environment = environment;
		this.use = use;
		this.schema = LibrarySchema.of(properties, environment);
	}

	/**
	 * Creates the migration.
	 * @param tool the name of the tool in its properties under {@code spring}
	 * @param qualifier the name of the annotation that marks the tool's own data source
	 * @param migrator creates the migrator
	 * @return the migration
	 */
	IdempotencySchemaMigration by(String tool, String qualifier, Function<LibrarySchema, Migrator> migrator) {
		return new IdempotencySchemaMigration(() -> choose(tool, qualifier), migrator.apply(this.schema));
	}

	/**
	 * Chooses the data source on which the tables are created: that of the business rows,
	 * with the rights that the application gives to its own migrations. These are
	 * settings of the primary data source, and do not apply to another one.
	 */
	private DataSource choose(String tool, String qualifier) {
		// No table is created if the connections of the store are refused.
		this.database.connections();
		DataSource business = this.database.dataSource();
		DataSource chosen = chooseShared(business, tool, qualifier);
		return (chosen == business && this.use.isRunning()) ? UnpooledConnections.forFirstUse(business) : chosen;
	}

	private DataSource chooseShared(DataSource business, String tool, String qualifier) {
		if (!isPrimary(business)) {
			return business;
		}
		DataSource marked = findMarked(qualifier);
		String url = property(tool, "url");
		String user = property(tool, "user");
		String password = property(tool, "password");
		if (marked != null) {
			return marked;
		}
		if (url == null && user == null) {
			return business;
		}
		DataSourceBuilder<?> builder = (url != null) ? DataSourceBuilder.create().url(url)
				: DataSourceBuilder.derivedFrom(business);
		builder.type(SimpleDriverDataSource.class);
		builder.username((user != null) ? user : this.environment.getProperty("spring.datasource.username"));
		builder.password((user != null) ? password : this.environment.getProperty("spring.datasource.password"));
		String driver = property(tool, "driver-class-name");
		if (driver != null) {
			builder.driverClassName(driver);
		}
		return builder.build();
	}

	private @Nullable String property(String tool, String name) {
		String value = this.environment.getProperty("spring." + tool + "." + name);
		return StringUtils.hasText(value) ? value : null;
	}

	private boolean isPrimary(DataSource business) {
		DataSource primary = this.beanFactory.getBeanProvider(DataSource.class).getIfUnique();
		return primary == null || primary == business;
	}

	/**
	 * The annotation belongs to a module that the application need not have.
	 */
	@SuppressWarnings("unchecked")
	private @Nullable DataSource findMarked(String qualifier) {
		ClassLoader classLoader = this.beanFactory.getBeanClassLoader();
		if (!ClassUtils.isPresent(qualifier, classLoader)) {
			return null;
		}
		Class<? extends Annotation> annotation = (Class<? extends Annotation>) ClassUtils.resolveClassName(qualifier,
				classLoader);
		for (String name : BeanFactoryUtils.beanNamesForTypeIncludingAncestors(this.beanFactory, DataSource.class)) {
			if (this.beanFactory.findAnnotationOnBean(name, annotation) != null) {
				return this.beanFactory.getBean(name, DataSource.class);
			}
		}
		return null;
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
