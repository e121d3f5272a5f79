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
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.zip.CRC32;

import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

import dev.idempotency.database.SchemaPart;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * A migration script of the library. It does not refer to Flyway, whose classes are only
 * loaded if there is something to migrate.
 *
 * @param folder the folder of the class path that holds it
 * @param name the name of its file, which is its name in the history
 * @param resource the file
 */
record MigrationScript(String folder, String name, Resource resource) {

	/**
	 * Finds the scripts. Flyway's own search does not work in a native image; Spring's
	 * does.
	 * @param folder the folder, without a slash at the end
	 * @param parts the required parts
	 */
	static List<MigrationScript> find(String folder, Set<SchemaPart> parts) {
		PathMatchingResourcePatternResolver resolver = new PathMatchingResourcePatternResolver(
				MigrationScript.class.getClassLoader());
		List<MigrationScript> scripts = new ArrayList<>();
		try {
			for (Resource resource : resolver.getResources("classpath:" + folder + "/*.sql")) {
				String name = Objects.requireNonNull(resource.getFilename(), "A script has a name");
				if (parts.stream().anyMatch((part) -> part.isMadeBy(name))) {
					scripts.add(new MigrationScript(folder, name, resource));
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return scripts;
	}

	/**
	 * Reads the statements.
	 */
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
