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
package dev.idempotency.autoconfigure.schema;

import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.flywaydb.core.api.ResourceProvider;
import org.flywaydb.core.api.resource.LoadableResource;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

import dev.idempotency.autoconfigure.jdbc.LibrarySchema;
import dev.idempotency.database.TableNames;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The library's scripts on the class path. Flyway's own search does not see into a native
 * image; Spring's does.
 */
final class MigrationScripts implements ResourceProvider {

	private final List<LoadableResource> scripts;

	/**
	 * Finds the scripts.
	 * @param folders the folders, without a slash at the end
	 * @param schema the parts that are wanted, and the names
	 */
	MigrationScripts(List<String> folders, LibrarySchema schema) {
		this.scripts = folders.stream().flatMap((folder) -> find(folder, schema)).toList();
	}

	private static Stream<LoadableResource> find(String folder, LibrarySchema schema) {
		try {
			PathMatchingResourcePatternResolver resolver = new PathMatchingResourcePatternResolver(
					MigrationScripts.class.getClassLoader());
			return Arrays.stream(resolver.getResources("classpath:" + folder + "/*.sql"))
				.map((resource) -> new Script(folder, resource, schema.names()))
				.filter((script) -> schema.parts().stream().anyMatch((part) -> part.isMadeBy(script.getFilename())))
				.map(LoadableResource.class::cast);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public @Nullable LoadableResource getResource(String name) {
		return this.scripts.stream().filter((script) -> script.getRelativePath().equals(name)).findFirst().orElse(null);
	}

	@Override
	public Collection<LoadableResource> getResources(String prefix, String[] suffixes) {
		return this.scripts.stream()
			.filter((script) -> script.getFilename().startsWith(prefix)
					&& Arrays.stream(suffixes).anyMatch(script.getFilename()::endsWith))
			.toList();
	}

	private static final class Script extends LoadableResource {

		private final String folder;

		private final Resource resource;

		private final TableNames names;

		private Script(String folder, Resource resource, TableNames names) {
			this.folder = folder;
			this.resource = resource;
			this.names = names;
		}

		@Override
		public Reader read() {
			try {
				return new StringReader(this.names.inScript(this.resource.getContentAsString(UTF_8)));
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		@Override
		public String getAbsolutePath() {
			return this.folder + "/" + getFilename();
		}

		@Override
		public String getAbsolutePathOnDisk() {
			return getAbsolutePath();
		}

		@Override
		public String getFilename() {
			return Objects.requireNonNull(this.resource.getFilename(), "A script has a name");
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
