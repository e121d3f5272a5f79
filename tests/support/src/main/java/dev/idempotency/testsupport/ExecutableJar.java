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
package dev.idempotency.testsupport;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
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
public record ExecutableJar(Path directory) implements AutoCloseable {

	private static final String NAME = "application";

	/**
	 * Packages a class path.
	 * @param entries directories and jars
	 * @param own decides which directories hold the classes of the application
	 * @param mainClass the main class
	 * @return the jar
	 */
	public static ExecutableJar of(List<File> entries, Predicate<File> own, Class<?> mainClass) {
		try {
			ExecutableJar jar = new ExecutableJar(Files.createTempDirectory(NAME));
			jar.write(entries, own, mainClass);
			return jar;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Returns the jar.
	 * @return its path
	 */
	public Path path() {
		return this.directory.resolve(NAME + ".jar");
	}

	/**
	 * Extracts the jar by Spring Boot's own command.
	 * @return the path of the jar without its libraries, which lie beside it
	 */
	public Path extract() {
		Path extracted = this.directory.resolve("extracted");
		try (JavaProcess process = JavaProcess.startJar(path(), List.of("-Djarmode=tools"),
				List.of("extract", "--destination", extracted.toString()))) {
			if (process.awaitExit() != 0) {
				throw new IllegalStateException(process.awaitOutput());
			}
		}
		return extracted.resolve(NAME + ".jar");
	}

	private void write(List<File> entries, Predicate<File> isOwn, Class<?> mainClass) throws IOException {
		List<File> own = new ArrayList<>();
		List<Library> libraries = new ArrayList<>();
		for (File entry : entries) {
			if (isOwn.test(entry)) {
				own.add(entry);
			}
			else if (entry.exists()) {
				File file = entry.isDirectory() ? archive(moduleOf(entry) + "-" + libraries.size(), List.of(entry))
						: entry;
				libraries.add(new Library(file, LibraryScope.RUNTIME));
			}
		}
		Repackager repackager = new Repackager(archive("classes", own));
		repackager.setMainClass(mainClass.getName());
		repackager.repackage(path().toFile(), (callback) -> {
			for (Library library : libraries) {
				callback.library(library);
			}
		});
	}

	/**
	 * The name of the module in whose {@code target/classes} the directory is.
	 */
	private static String moduleOf(File classes) {
		return classes.getParentFile().getParentFile().getName();
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
