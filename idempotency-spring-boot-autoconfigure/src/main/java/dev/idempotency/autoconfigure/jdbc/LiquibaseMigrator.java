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

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.sql.DataSource;

import liquibase.exception.LiquibaseException;
import liquibase.integration.spring.SpringLiquibase;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.AbstractResource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

import dev.idempotency.database.SchemaPart;
import dev.idempotency.database.SupportedDatabase;
import dev.idempotency.database.TableNames;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Runs the scripts with a Liquibase that is not a bean, so that the application's own is
 * not affected: it has a separate change log, with separate tables.
 */
final class LiquibaseMigrator implements IdempotencySchemaMigration.Migrator {

	private static final String CHANGE_LOG = "classpath:db/idempotency/liquibase/changelog.xml";

	private final LibrarySchema schema;

	LiquibaseMigrator(LibrarySchema schema) {
		this.schema = schema;
	}

	@Override
	public void migrate(DataSource dataSource, SupportedDatabase database) {
		TableNames names = this.schema.names();
		SpringLiquibase liquibase = new SpringLiquibase();
		liquibase.setDataSource(dataSource);
		liquibase.setResourceLoader(new NamedScripts(names));
		liquibase.setChangeLog(CHANGE_LOG);
		liquibase.setLabelFilter(this.schema.parts().stream().map(SchemaPart::label).collect(Collectors.joining(",")));
		liquibase.setDatabaseChangeLogTable(names.local("idempotency_changelog"));
		liquibase.setDatabaseChangeLogLockTable(names.local("idempotency_changelog_lock"));
		liquibase.setAnalyticsEnabled(false);
		liquibase.setShouldRun(true);
		setSchema(liquibase, names.schema());
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

	/**
	 * Loads the library's scripts with the names of the tables that are in use.
	 */
	private static final class NamedScripts extends PathMatchingResourcePatternResolver {

		private final TableNames names;

		NamedScripts(TableNames names) {
			super(NamedScripts.class.getClassLoader());
			this.names = names;
		}

		@Override
		public Resource getResource(String location) {
			return named(super.getResource(location));
		}

		@Override
		public Resource[] getResources(String pattern) throws IOException {
			return Stream.of(super.getResources(pattern)).map(this::named).toArray(Resource[]::new);
		}

		private Resource named(Resource resource) {
			String file = resource.getFilename();
			return (file != null && file.endsWith(".sql") && resource.exists()) ? new Script(resource) : resource;
		}

		private final class Script extends AbstractResource {

			private final Resource script;

			Script(Resource script) {
				this.script = script;
			}

			@Override
			public boolean exists() {
				return true;
			}

			@Override
			public URI getURI() throws IOException {
				return this.script.getURI();
			}

			@Override
			public String getFilename() {
				return String.valueOf(this.script.getFilename());
			}

			@Override
			public String getDescription() {
				return this.script.getDescription();
			}

			@Override
			public InputStream getInputStream() throws IOException {
				String text = NamedScripts.this.names.inScript(this.script.getContentAsString(UTF_8));
				return new ByteArrayInputStream(text.getBytes(UTF_8));
			}

		}

	}

}
