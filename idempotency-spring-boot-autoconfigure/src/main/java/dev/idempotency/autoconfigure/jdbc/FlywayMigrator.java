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

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.zip.CRC32;

import javax.sql.DataSource;

import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.ResourceProvider;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.flywaydb.core.api.resource.LoadableResource;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.util.ClassUtils;

import dev.idempotency.database.SupportedDatabase;
import dev.idempotency.database.TableNames;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.store.jdbc.SchemaPart;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Runs the scripts with a Flyway that is not a bean, so that the application's own is not
 * affected: it has a separate history and a separate location of scripts. Its classes are
 * only loaded if there is something to migrate.
 *
 * @param names the names of the tables
 * @param parts the parts of the schema to create
 */
record FlywayMigrator(TableNames names, Set<SchemaPart> parts) {

	private static final String HISTORY_TABLE = "idempotency_schema_history";

	void migrate(DataSource dataSource, SupportedDatabase database) {
		String folder = database.migrations();
		List<Script> scripts = findScripts(folder);
		Map<String, Integer> run = readHistory(dataSource);
		if (!scripts.stream().allMatch((script) -> Integer.valueOf(script.checksum()).equals(run.get(script.name())))) {
			new Run(this.names.schema(), scripts, !run.isEmpty()).migrate(dataSource, database, folder);
		}
	}

	/**
	 * Finds the scripts. Flyway's own search does not work in a native image; Spring's
	 * does.
	 */
	private List<Script> findScripts(String folder) {
		PathMatchingResourcePatternResolver resolver = new PathMatchingResourcePatternResolver(
				FlywayMigrator.class.getClassLoader());
		List<Script> scripts = new ArrayList<>();
		try {
			for (Resource resource : resolver.getResources("classpath:" + folder + "/*.sql")) {
				String name = Objects.requireNonNull(resource.getFilename(), "A script has a name");
				if (this.parts.stream().anyMatch((part) -> part.isMadeBy(name))) {
					scripts.add(new Script(folder, name, resource));
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return scripts;
	}

	/**
	 * Reads the checksums of the scripts that were run, by their names, from Flyway's own
	 * table. This one query at each start replaces Flyway's own queries if there is
	 * nothing to migrate. In case of doubt it returns none, and leaves the decision to
	 * Flyway.
	 */
	private Map<String, Integer> readHistory(DataSource dataSource) {
		Map<String, Integer> run = new HashMap<>();
		String sql = "select \"script\", \"checksum\", \"success\" from " + quoted(this.names.qualified(HISTORY_TABLE));
		try (Connection connection = dataSource.getConnection();
				PreparedStatement statement = connection
					.prepareStatement(sql.replace("\"", connection.getMetaData().getIdentifierQuoteString()));
				ResultSet rows = statement.executeQuery()) {
			while (rows.next()) {
				if (rows.getBoolean(3)) {
					run.put(rows.getString(1), rows.getInt(2));
				}
			}
			return run;
		}
		catch (SQLException ex) {
			return Map.of();
		}
	}

	/**
	 * Flyway quotes the name of its table; the name of the schema is resolved as usual.
	 */
	private static String quoted(String table) {
		int dot = table.indexOf('.');
		return table.substring(0, dot + 1) + "\"" + table.substring(dot + 1) + "\"";
	}

	/**
	 * A script. It does not refer to Flyway.
	 *
	 * @param folder the folder of the class path that holds it
	 * @param name the name of its file, which is its name in the history
	 * @param resource the file
	 */
	private record Script(String folder, String name, Resource resource) {

		String read() {
			try {
				return this.resource.getContentAsString(UTF_8);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		/**
		 * Computes the checksum as Flyway does: of the lines, without their terminators.
		 */
		int checksum() {
			CRC32 checksum = new CRC32();
			try (BufferedReader lines = new BufferedReader(new StringReader(read()))) {
				for (String line = lines.readLine(); line != null; line = lines.readLine()) {
					checksum.update(line.getBytes(UTF_8));
				}
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
			return (int) checksum.getValue();
		}

	}

	/**
	 * A run of Flyway with the scripts that were found.
	 */
	private static final class Run implements ResourceProvider {

		private final @Nullable String schema;

		private final List<LoadableResource> scripts;

		private final boolean resumed;

		/**
		 * Creates a run.
		 * @param resumed whether other scripts were run before. Flyway warns of each run
		 * that allows an earlier version to follow a later one.
		 */
		Run(@Nullable String schema, List<Script> scripts, boolean resumed) {
			this.schema = schema;
			this.resumed = resumed;
			this.scripts = scripts.stream().<LoadableResource>map(ScriptResource::new).toList();
		}

		void migrate(DataSource dataSource, SupportedDatabase database, String folder) {
			requireModule(database);
			FluentConfiguration flyway = Flyway.configure()
				.dataSource(dataSource)
				.locations("classpath:" + folder)
				.resourceProvider(this)
				// None exist: without this Flyway would search the class path for them.
				.javaMigrationClassProvider(List::of)
				// A feature may be switched on later than others.
				.outOfOrder(this.resumed)
				.ignoreMigrationPatterns("*:missing", "*:future")
				.table(HISTORY_TABLE)
				// The schema holds the application's tables already: that is no reason to
				// stop.
				.baselineOnMigrate(true)
				.baselineVersion("0");
			if (this.schema != null) {
				flyway.defaultSchema(this.schema);
			}
			flyway.load().migrate();
		}

		private static void requireModule(SupportedDatabase database) {
			String module = switch (database) {
				case POSTGRESQL -> "flyway-database-postgresql";
				case H2 -> "flyway-core";
			};
			String className = switch (database) {
				case POSTGRESQL -> "org.flywaydb.database.postgresql.PostgreSQLDatabaseType";
				case H2 -> "org.flywaydb.core.Flyway";
			};
			if (!ClassUtils.isPresent(className, Flyway.class.getClassLoader())) {
				throw new InvalidIdempotentException(
						"The tables of the idempotency records cannot be created: " + module
								+ " is not on the class path.",
						"Add org.flywaydb:" + module
								+ ", or set idempotency.schema.management to liquibase, validate or " + "none.");
			}
		}

		@Override
		public @Nullable LoadableResource getResource(String name) {
			return this.scripts.stream()
				.filter((script) -> script.getRelativePath().equals(name))
				.findFirst()
				.orElse(null);
		}

		@Override
		public Collection<LoadableResource> getResources(String prefix, String[] suffixes) {
			return this.scripts.stream()
				.filter((script) -> script.getFilename().startsWith(prefix)
						&& List.of(suffixes).stream().anyMatch(script.getFilename()::endsWith))
				.toList();
		}

		private static final class ScriptResource extends LoadableResource {

			private final Script script;

			private ScriptResource(Script script) {
				this.script = script;
			}

			@Override
			public Reader read() {
				return new StringReader(this.script.read());
			}

			@Override
			public String getAbsolutePath() {
				return this.script.folder() + "/" + getFilename();
			}

			@Override
			public String getAbsolutePathOnDisk() {
				return getAbsolutePath();
			}

			@Override
			public String getFilename() {
				return this.script.name();
			}

			/**
			 * Returns the name in Flyway's history.
			 */
			@Override
			public String getRelativePath() {
				return getFilename();
			}

		}

	}

}
