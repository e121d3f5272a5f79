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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * The classes of processes with the same jars, loaded and verified once for all of them
 * (class data sharing): most of the cost of an application's start. The first process
 * records its classes; the archive is created when it has ended.
 */
public final class ClassArchive {

	/**
	 * The system property that switches it on for processes on the class path of this
	 * JVM, in a module with many of them: the archive costs as much as some starts.
	 */
	private static final boolean WANTED = Boolean.getBoolean("idempotency.test.class-archive");

	private static final Path DIRECTORY = Path.of("target");

	private static final ClassArchive INSTANCE = new ClassArchive(
			Arrays.asList(System.getProperty("java.class.path").split(File.pathSeparator)), WANTED);

	private final boolean wanted;

	private final List<String> jars;

	private final List<String> directories;

	private final Path file;

	private final AtomicBoolean recorded = new AtomicBoolean();

	private ClassArchive(List<String> entries, boolean wanted) {
		this.wanted = wanted;
		this.jars = entries.stream().filter((entry) -> Files.isRegularFile(Path.of(entry))).toList();
		this.directories = entries.stream().filter((entry) -> Files.isDirectory(Path.of(entry))).toList();
		this.file = DIRECTORY.resolve("classes-" + Integer.toHexString(version().hashCode()) + ".jsa");
	}

	static ClassArchive ofThisClassPath() {
		return INSTANCE;
	}

	/**
	 * Creates the archive of jars that many processes have in common.
	 * @param jars the jars
	 * @return the archive, which is made by the first processes that use it
	 */
	public static ClassArchive of(List<File> jars) {
		return new ClassArchive(jars.stream().map(File::getPath).toList(), true);
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
		boolean needed = this.wanted && Files.isDirectory(DIRECTORY) && !Files.exists(this.file);
		if (!needed || !this.recorded.compareAndSet(false, true)) {
			return null;
		}
		return this.file.resolveSibling(this.file.getFileName() + "-" + ProcessHandle.current().pid() + ".lst");
	}

	/**
	 * Returns the options of a process. The archived jars are in front: there are no
	 * directories in an archive, and what is in an archive comes first.
	 * @param list the file in which the process writes down what it loads, or
	 * {@code null}
	 * @param more more entries of the class path
	 */
	List<String> options(@Nullable Path list, List<String> more) {
		if (!this.wanted) {
			return List.of("-cp", System.getProperty("java.class.path"));
		}
		if (this != INSTANCE) {
			awaitMade();
		}
		List<String> options = new ArrayList<>();
		if (list != null) {
			options.add("-XX:DumpLoadedClassList=" + list);
		}
		else if (Files.exists(this.file)) {
			options.add("-XX:SharedArchiveFile=" + this.file);
		}
		Set<String> entries = new LinkedHashSet<>(this.jars);
		entries.addAll(this.directories);
		entries.addAll(more);
		options.add("-cp");
		options.add(String.join(File.pathSeparator, entries));
		return options;
	}

	/**
	 * Waits for an archive that this JVM is making: it takes as long as one start without
	 * it. Nodes that are killed and started again do not wait.
	 */
	private synchronized void awaitMade() {
		// Whoever makes it holds the lock.
	}

	/**
	 * Makes the archive, unless another JVM does.
	 * @param list the classes that a process has loaded
	 */
	synchronized void make(Path list) {
		try {
			Files.createFile(this.file.resolveSibling(this.file.getFileName() + ".made"));
			// The last line may be a part of one: the process was killed
			List<String> lines = Files.readAllLines(list);
			Files.write(list, lines.subList(0, Math.max(0, lines.size() - 1)));
			Path unfinished = this.file.resolveSibling(this.file.getFileName() + ".unfinished");
			List<String> command = List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
					"-XX:TieredStopAtLevel=1", "-Xshare:dump", "-XX:SharedClassListFile=" + list,
					"-XX:SharedArchiveFile=" + unfinished, "-cp", String.join(File.pathSeparator, this.jars));
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
