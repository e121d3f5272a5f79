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
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

import dev.idempotency.autoconfigure.guard.DeferredActivation;
import dev.idempotency.autoconfigure.jdbc.SchemaProperties.Management;
import dev.idempotency.database.SupportedDatabase;
import dev.idempotency.database.TableNames;
import dev.idempotency.engine.StartupCheck;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.store.jdbc.SchemaPart;

/**
 * The creation of the tables, or the check that they exist.
 * <ol>
 * <li>The configured tool creates them before the store is used, and after the
 * application has created its own tables: a tool of the application would refuse a schema
 * that is not empty.</li>
 * <li>Without the tool, they are checked when all singletons exist, so that the
 * application has created them.</li>
 * <li>With {@code idempotency.schema.management=none} no connection is used.</li>
 * </ol>
 */
final class SchemaManagement implements InitializingBean, StartupCheck {

	/**
	 * The module of staged jobs is on the class path.
	 */
	private static final boolean JOBS = ClassUtils.isPresent("dev.idempotency.job.dbscheduler.JobScheduler",
			SchemaManagement.class.getClassLoader());

	private final BusinessDatabase database;

	private final ConfigurableListableBeanFactory beans;

	private final SchemaProperties properties;

	private final DeferredActivation use;

	private final Environment environment;

	private final TableNames names;

	/**
	 * The parts of the schema that the features in use need.
	 */
	private final Set<SchemaPart> parts;

	SchemaManagement(BusinessDatabase database, ConfigurableListableBeanFactory beans, SchemaProperties properties,
			DeferredActivation use) {
		this.database = database;
		this.beans = beans;
		this.properties = properties;
		this.use = use;
		this.environment = beans.getBean(Environment.class);
		this.names = database.names();
		this.parts = parts(this.environment);
	}

	private static Set<SchemaPart> parts(Environment environment) {
		Set<SchemaPart> parts = EnumSet.of(SchemaPart.RECORD);
		if (JOBS && environment.getProperty("idempotency.job.enabled", Boolean.class, true)) {
			parts.add(SchemaPart.JOB);
		}
		if (environment.getProperty("idempotency.outbox.enabled", Boolean.class, false)) {
			parts.add(SchemaPart.OUTBOX);
		}
		return parts;
	}

	@Override
	public void afterPropertiesSet() {
		Tool tool = tool();
		if (tool != null) {
			migrate(tool, choose(tool));
		}
	}

	private @Nullable Tool tool() {
		Tool tool = switch (this.properties.management()) {
			case FLYWAY -> Tool.FLYWAY;
			case LIQUIBASE -> Tool.LIQUIBASE;
			case VALIDATE, NONE -> null;
		};
		return (tool != null && ClassUtils.isPresent(tool.className, this.beans.getBeanClassLoader())) ? tool : null;
	}

	private void migrate(Tool tool, DataSource migrated) {
		// Refuses an unsupported database, where a tool would fail at some statement.
		SupportedDatabase kind = this.database.checkingConnections().database();
		try {
			switch (tool) {
				case FLYWAY -> new FlywayMigrator(this.names, this.parts).migrate(migrated, kind);
				case LIQUIBASE -> new LiquibaseMigrator(this.names, this.parts).migrate(migrated);
			}
		}
		catch (InvalidIdempotentException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			InvalidIdempotentException failure = new InvalidIdempotentException(
					"The tables of the idempotency records could not be created: "
							+ NestedExceptionUtils.getMostSpecificCause(ex).getMessage() + ".",
					"If the user of the application must not create tables, set spring.flyway.user or "
							+ "spring.liquibase.user, or run the scripts that are in the library's jar under "
							+ "db/idempotency and set idempotency.schema.management to validate.");
			failure.initCause(ex);
			throw failure;
		}
	}

	@Override
	public void check() {
		if (this.properties.management() == Management.NONE || tool() != null) {
			return;
		}
		List<String> missing = SchemaPart.findMissing(this.database.checkingConnections(), this.names, this.parts);
		if (!missing.isEmpty()) {
			throw new InvalidIdempotentException(
					"The database of the idempotency records lacks: " + String.join(", ", missing) + ".",
					"Run the scripts that are in the library's jar under " + this.database.kind().migrations()
							+ ", in the order of their versions, with the tool that migrates the application, or "
							+ "include db/idempotency/liquibase/changelog.xml in its change log. Or let the library "
							+ "do it: idempotency.schema.management=flyway, with flyway-core and Flyway's module for "
							+ "the database on the class path, or idempotency.schema.management=liquibase, with "
							+ "liquibase-core.");
		}
	}

	/**
	 * Chooses the data source on which the tables are created: the one of the business
	 * rows, with the rights that the application gives to its own migrations. These are
	 * settings of the primary data source, and do not apply to another one.
	 */
	private DataSource choose(Tool tool) {
		// No table is created if the connections of the store are refused.
		this.database.connections();
		DataSource business = this.database.dataSource();
		DataSource chosen = chooseShared(business, tool);
		return (chosen == business && this.use.isPoolInUse()) ? UnpooledConnections.forFirstUse(business) : chosen;
	}

	private DataSource chooseShared(DataSource business, Tool tool) {
		if (!isPrimary(business)) {
			return business;
		}
		DataSource marked = findMarked(tool.qualifier);
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

	private @Nullable String property(Tool tool, String name) {
		String value = this.environment.getProperty("spring." + tool.prefix + "." + name);
		return StringUtils.hasText(value) ? value : null;
	}

	private boolean isPrimary(DataSource business) {
		DataSource primary = this.beans.getBeanProvider(DataSource.class).getIfUnique();
		return primary == null || primary == business;
	}

	/**
	 * The annotation belongs to a module that the application need not have.
	 */
	@SuppressWarnings("unchecked")
	private @Nullable DataSource findMarked(String qualifier) {
		ClassLoader classLoader = this.beans.getBeanClassLoader();
		if (!ClassUtils.isPresent(qualifier, classLoader)) {
			return null;
		}
		Class<? extends Annotation> annotation = (Class<? extends Annotation>) ClassUtils.resolveClassName(qualifier,
				classLoader);
		for (String name : BeanFactoryUtils.beanNamesForTypeIncludingAncestors(this.beans, DataSource.class)) {
			if (this.beans.findAnnotationOnBean(name, annotation) != null) {
				return this.beans.getBean(name, DataSource.class);
			}
		}
		return null;
	}

	/**
	 * The tools. They and their support in Spring Boot are optional: an application need
	 * not have their classes.
	 */
	private enum Tool {

		FLYWAY("org.flywaydb.core.Flyway", "flyway", "org.springframework.boot.flyway.autoconfigure.FlywayDataSource"),

		LIQUIBASE("liquibase.integration.spring.SpringLiquibase", "liquibase",
				"org.springframework.boot.liquibase.autoconfigure.LiquibaseDataSource");

		private final String className;

		/**
		 * The name of the tool in its properties under {@code spring}.
		 */
		private final String prefix;

		/**
		 * The annotation that marks the tool's own data source.
		 */
		private final String qualifier;

		Tool(String className, String prefix, String qualifier) {
			this.className = className;
			this.prefix = prefix;
			this.qualifier = qualifier;
		}

	}

}
