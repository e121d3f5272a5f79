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

import java.util.Set;
import java.util.stream.Collectors;

import javax.sql.DataSource;

import liquibase.exception.LiquibaseException;
import liquibase.integration.spring.SpringLiquibase;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

import dev.idempotency.database.TableNames;
import dev.idempotency.store.jdbc.SchemaPart;

/**
 * Runs the scripts with a Liquibase that is not a bean, so that the application's own is
 * not affected: it has a separate change log, with separate tables.
 *
 * @param names the names of the tables
 * @param parts the parts of the schema to create
 */
record LiquibaseMigrator(TableNames names, Set<SchemaPart> parts) {

	private static final String CHANGE_LOG = "classpath:db/idempotency/liquibase/changelog.xml";

	void migrate(DataSource dataSource) {
		SpringLiquibase liquibase = new SpringLiquibase();
		liquibase.setDataSource(dataSource);
		liquibase.setResourceLoader(new PathMatchingResourcePatternResolver(LiquibaseMigrator.class.getClassLoader()));
		liquibase.setChangeLog(CHANGE_LOG);
		liquibase.setLabelFilter(this.parts.stream().map(SchemaPart::label).collect(Collectors.joining(",")));
		liquibase.setDatabaseChangeLogTable("idempotency_changelog");
		liquibase.setDatabaseChangeLogLockTable("idempotency_changelog_lock");
		liquibase.setAnalyticsEnabled(false);
		liquibase.setShouldRun(true);
		setSchema(liquibase, this.names.schema());
		try {
			liquibase.afterPropertiesSet();
		}
		catch (LiquibaseException ex) {
			throw new IllegalStateException("Liquibase could not create the tables of the idempotency records", ex);
		}
	}

	private static void setSchema(SpringLiquibase liquibase, @Nullable String schema) {
		if (schema != null) {
			liquibase.setDefaultSchema(schema);
			liquibase.setLiquibaseSchema(schema);
		}
	}

}
