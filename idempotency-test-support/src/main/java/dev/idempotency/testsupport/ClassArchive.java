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
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * The classes of processes on the class path of this JVM, loaded and verified once for
 * all of them (class data sharing): most of the cost of an application's start. The first
 * process records its classes; the archive is created when it has ended.
 */
final class ClassArchive {

	/**
	 * The system property that switches it on, in a module with many processes: the
	 * archive costs as much as some starts.
	 */
	private static final boolean WANTED = Boolean.getBoolean("idempotency.test.class-archive");

	private static final Path DIRECTORY = Path.of("target");

	private static final ClassArchive INSTANCE = new ClassArchive();

	private final List<String> jars;

	private final List<String> directories;

	private final Path file;

	private final AtomicBoolean recorded = new AtomicBoolean();

	private ClassArchive() {
		List<String> entries = Arrays.asList(System.getProperty("java.class.path").split(File.pathSeparator));
		this.jars = entries.stream().filter((entry) -> Files.isRegularFile(Path.of(entry))).toList();
		this.directories = entries.stream().filter((entry) -> Files.isDirectory(Path.of(entry))).toList();
		this.file = DIRECTORY.resolve("classes-" + Integer.toHexString(version().hashCode()) + ".jsa");
	}

	static ClassArchive ofThisClassPath() {
		return INSTANCE;
	}

	/**
	 * An archive is for one JVM and one list of jars.
	 */
	private String version() {
		return System.getProperty("java.vm.version") + this.jars.stream()
			.map(File::new)
			.map((jar) -> jar + ":" + jar.length() + ":" + jar.lastModified())
			.collect(Collectors.joining());
	}

	/**
	 * Decides whether a process records its classes: the first one does.
	 * @return the file, or {@code null}
	 */
	@Nullable Path record() {
		boolean wanted = WANTED && Files.isDirectory(DIRECTORY) && !Files.exists(this.file);
		if (!wanted || !this.recorded.compareAndSet(false, true)) {
			return null;
		}
		return DIRECTORY.resolve("classes-" + ProcessHandle.current().pid() + ".lst");
	}

	/**
	 * Returns the options of a process. The jars are in front: there are no directories
	 * in an archive, and what is in an archive comes first.
	 * @param list the file in which it writes down what it loads, or {@code null}
	 */
	List<String> options(@Nullable Path list) {
		if (!WANTED) {
			return List.of("-cp", System.getProperty("java.class.path"));
		}
		List<String> options = new ArrayList<>();
		if (list != null) {
			options.add("-XX:DumpLoadedClassList=" + list);
		}
		else if (Files.exists(this.file)) {
			options.add("-XX:SharedArchiveFile=" + this.file);
		}
		List<String> entries = new ArrayList<>(this.jars);
		entries.addAll(this.directories);
		options.add("-cp");
		options.add(String.join(File.pathSeparator, entries));
		return options;
	}

	/**
	 * Makes the archive, unless another JVM does.
	 * @param list the classes that a process has loaded
	 */
	void make(Path list) {
		try {
			Files.createFile(this.file.resolveSibling(this.file.getFileName() + ".made"));
			// The last line may be a part of one: the process was killed
			List<String> lines = Files.readAllLines(list);
			Files.write(list, lines.subList(0, Math.max(0, lines.size() - 1)));
			Path unfinished = this.file.resolveSibling(this.file.getFileName() + ".unfinished");
			List<String> command = new ArrayList<>();
			command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
			command.add("-XX:TieredStopAtLevel=1");
			command.add("-Xshare:dump");
			command.add("-XX:SharedClassListFile=" + list);
			command.add("-XX:SharedArchiveFile=" + unfinished);
			command.add("-cp");
			command.add(String.join(File.pathSeparator, this.jars));
			ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
			builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
			int code = builder.start().waitFor();
			if (code == 0) {
				Files.move(unfinished, this.file, StandardCopyOption.ATOMIC_MOVE);
			}
		}
		catch (FileAlreadyExistsException ex) {
			// Another JVM makes it.
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
