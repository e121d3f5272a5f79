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
package dev.idempotency.applications.plain;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

import org.springframework.boot.loader.tools.Library;
import org.springframework.boot.loader.tools.LibraryScope;
import org.springframework.boot.loader.tools.Repackager;
import org.springframework.util.FileSystemUtils;

/**
 * An application as it is deployed: an executable jar of Spring Boot, deleted when it is
 * closed.
 *
 * @param directory the directory that holds the jar and its parts
 */
record ExecutableJar(Path directory) implements AutoCloseable {

	/**
	 * Packages a class path.
	 * @param entries directories and jars; the directories named as the module are the
	 * application's own classes
	 * @param mainClass the main class
	 * @return the jar
	 */
	static ExecutableJar of(List<File> entries, Class<?> mainClass) {
		try {
			ExecutableJar jar = new ExecutableJar(Files.createTempDirectory("application"));
			jar.write(entries, mainClass);
			return jar;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	Path path() {
		return this.directory.resolve("application.jar");
	}

	private void write(List<File> entries, Class<?> mainClass) throws IOException {
		List<File> own = new ArrayList<>();
		List<Library> libraries = new ArrayList<>();
		for (File entry : entries) {
			if (Jars.isOfThisModule(entry)) {
				own.add(entry);
			}
			else if (entry.exists()) {
				File file = entry.isDirectory()
						? archive(Jars.name(entry.getPath()) + "-" + libraries.size(), List.of(entry)) : entry;
				libraries.add(new Library(file, LibraryScope.RUNTIME));
			}
		}
		Repackager repackager = new Repackager(archive("classes", own));
		repackager.setMainClass(mainClass.getName());
		repackager.setIncludeRelevantJarModeJars(false);
		repackager.repackage(path().toFile(), (callback) -> {
			for (Library library : libraries) {
				callback.library(library);
			}
		});
	}

	private File archive(String name, List<File> directories) throws IOException {
		Path archive = this.directory.resolve(name + ".jar");
		Set<String> written = new HashSet<>();
		try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(archive))) {
			for (File directory : directories) {
				Path root = directory.toPath();
				for (Path file : contents(root)) {
					String entry = root.relativize(file).toString().replace(File.separatorChar, '/');
					boolean folder = Files.isDirectory(file);
					// Folders have entries, as in Maven's jars: resources are found by
					// them
					if (!folder || written.add(entry)) {
						out.putNextEntry(new JarEntry(folder ? entry + "/" : entry));
						if (!folder) {
							Files.copy(file, out);
						}
						out.closeEntry();
					}
				}
			}
		}
		return archive.toFile();
	}

	private static List<Path> contents(Path root) throws IOException {
		try (Stream<Path> walk = Files.walk(root)) {
			return walk.filter((path) -> !path.equals(root)).toList();
		}
	}

	@Override
	public void close() {
		try {
			FileSystemUtils.deleteRecursively(this.directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
