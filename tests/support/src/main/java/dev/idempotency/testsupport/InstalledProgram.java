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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * A program of an operating system's package with its output in a file. Programs that
 * refuse to run as root become the user {@code postgres}.
 */
final class InstalledProgram {

	private static final String USER = "postgres";

	private static final boolean ROOT = "root".equals(System.getProperty("user.name"));

	private final Process process;

	private InstalledProgram(Process process) {
		this.process = process;
	}

	/**
	 * Starts a program in a directory.
	 * @param directory the directory, which belongs to the user of the program
	 * @param name the name of the file with its output
	 * @param command the program and its arguments
	 * @return the running program
	 * @throws IOException if it is not installed
	 */
	static InstalledProgram start(Path directory, String name, List<String> command) throws IOException {
		List<String> full = new ArrayList<>();
		if (ROOT) {
			full.addAll(List.of("setpriv", "--reuid=" + USER, "--regid=" + USER, "--clear-groups"));
		}
		full.addAll(command);
		return new InstalledProgram(new ProcessBuilder(full).directory(directory.toFile())
			.redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(directory.resolve(name + ".log").toFile()))
			.start());
	}

	/**
	 * Creates a directory that programs may write to.
	 */
	static Path createDirectory(String prefix) throws IOException {
		Path directory = Files.createTempDirectory(prefix);
		if (ROOT) {
			UserPrincipal user = directory.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(USER);
			Files.setOwner(directory, user);
		}
		return directory;
	}

	ProcessHandle handle() {
		return this.process.toHandle();
	}

	/**
	 * Finds the first process of a PostgreSQL. A server that was killed leaves its file
	 * behind, and its id to any other program.
	 * @param data its data directory
	 */
	static Optional<ProcessHandle> postmaster(Path data) {
		Path file = data.resolve("postmaster.pid");
		try {
			return Files.exists(file)
					? ProcessHandle.of(Long.parseLong(Files.readAllLines(file).get(0).strip()))
						.filter((process) -> process.info().command().orElse("").endsWith("/postgres"))
					: Optional.empty();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Kills a process first, so that it cannot tidy up after its children, then them.
	 */
	static void killTree(ProcessHandle parent) {
		List<ProcessHandle> children = parent.descendants().toList();
		Stream.concat(Stream.of(parent), children.stream()).forEach(InstalledProgram::kill);
	}

	private static void kill(ProcessHandle handle) {
		CompletableFuture<ProcessHandle> exit = handle.onExit();
		handle.destroyForcibly();
		exit.join();
	}

	/**
	 * Sends a signal to a process, then to its children, some of which may have gone.
	 */
	static void signal(String signal, ProcessHandle parent) {
		List<String> command = new ArrayList<>(List.of("kill", "-" + signal));
		Stream.concat(Stream.of(parent), parent.descendants()).forEach((handle) -> command.add("" + handle.pid()));
		try {
			new ProcessBuilder(command).start().waitFor();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Returns the last lines of each program that was started in a directory.
	 */
	static String logs(Path directory) {
		try (Stream<Path> files = Files.list(directory)) {
			StringBuilder logs = new StringBuilder();
			for (Path file : files.filter((path) -> path.toString().endsWith(".log")).sorted().toList()) {
				List<String> lines = Files.readAllLines(file);
				logs.append(file).append(":\n");
				lines.subList(Math.max(0, lines.size() - 20), lines.size())
					.forEach((line) -> logs.append(line).append('\n'));
			}
			return logs.toString();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
