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

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * A main class in a separate JVM, on the class path of this one, so that a test can kill
 * it. The process reports its progress by lines on its standard output.
 */
public final class JavaProcess implements AutoCloseable {

	private static final Duration LIMIT = Duration.ofMinutes(5);

	private final Process process;

	private final BlockingQueue<String> unread = new LinkedBlockingQueue<>();

	private final Queue<String> log = new ConcurrentLinkedQueue<>();

	private final CountDownLatch complete = new CountDownLatch(1);

	private JavaProcess(Process process) {
		this.process = process;
	}

	/**
	 * Starts a main class.
	 * @param mainClass the class
	 * @param arguments its arguments
	 * @return the process, to be closed by the caller
	 */
	public static JavaProcess start(Class<?> mainClass, List<String> arguments) {
		return start(mainClass, arguments, Map.of());
	}

	/**
	 * Starts a main class.
	 * @param mainClass the class
	 * @param arguments its arguments
	 * @param environment environment variables on top of those of this JVM
	 * @return the process, to be closed by the caller
	 */
	public static JavaProcess start(Class<?> mainClass, List<String> arguments, Map<String, String> environment) {
		return start(ClassArchive.ofThisClassPath(), List.of(), List.of(), mainClass, arguments, environment);
	}

	private static JavaProcess start(ClassArchive archive, List<String> more, List<String> options, Class<?> mainClass,
			List<String> arguments, Map<String, String> environment) {
		Path list = archive.record();
		List<String> program = new ArrayList<>(archive.options(list, more));
		program.addAll(options);
		program.add(mainClass.getName());
		JavaProcess started = run(program, arguments, environment);
		if (list != null) {
			started.process.onExit().thenRunAsync(() -> archive.make(list));
		}
		return started;
	}

	/**
	 * Starts a main class on a class path that is not that of this JVM.
	 * @param classPath the class path
	 * @param options options of the JVM
	 * @param mainClass the class
	 * @param arguments its arguments
	 * @return the process, to be closed by the caller
	 */
	public static JavaProcess startOn(List<File> classPath, List<String> options, Class<?> mainClass,
			List<String> arguments) {
		List<String> program = new ArrayList<>(options);
		program.add("-cp");
		program.add(classPath.stream().map(File::getPath).collect(Collectors.joining(File.pathSeparator)));
		program.add(mainClass.getName());
		return run(program, arguments, Map.of());
	}

	/**
	 * Starts a main class on a class path whose first jars are archived.
	 * @param archive the jars that are in front, and their classes
	 * @param classPath the rest of the class path
	 * @param options options of the JVM
	 * @param mainClass the class
	 * @param arguments its arguments
	 * @return the process, to be closed by the caller
	 */
	public static JavaProcess startOn(ClassArchive archive, List<File> classPath, List<String> options,
			Class<?> mainClass, List<String> arguments) {
		return start(archive, classPath.stream().map(File::getPath).toList(), options, mainClass, arguments, Map.of());
	}

	/**
	 * Starts an executable jar.
	 * @param jar the jar
	 * @param options options of the JVM
	 * @param arguments its arguments
	 * @return the process, to be closed by the caller
	 */
	public static JavaProcess startJar(Path jar, List<String> options, List<String> arguments) {
		List<String> program = new ArrayList<>(options);
		program.addAll(List.of("-jar", jar.toString()));
		return run(program, arguments, Map.of());
	}

	private static JavaProcess run(List<String> program, List<String> arguments, Map<String, String> environment) {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		// The start is what takes the time: no optimising compiler, no parallel
		// collector, no full collection for each step by which the classes grow.
		command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:MetaspaceSize=128m"));
		command.addAll(program);
		command.addAll(arguments);
		try {
			ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
			builder.environment().putAll(environment);
			JavaProcess started = new JavaProcess(builder.start());
			ProxiedConnection.startDaemon("java-process-output", started::readOutput);
			return started;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void readOutput() {
		try (BufferedReader reader = this.process.inputReader(StandardCharsets.UTF_8)) {
			for (String line = reader.readLine(); line != null; line = reader.readLine()) {
				this.log.add(line);
				this.unread.add(line);
			}
		}
		catch (IOException ex) {
			// The process has ended.
		}
		finally {
			this.complete.countDown();
		}
	}

	/**
	 * Waits for a line of output. Lines before it are skipped.
	 * @param prefix the beginning of the line
	 * @return the rest of the line
	 * @throws IllegalStateException with all of the output if it does not come
	 */
	public String awaitLine(String prefix) {
		long deadline = System.nanoTime() + LIMIT.toNanos();
		while (System.nanoTime() < deadline) {
			String line = poll();
			if (line != null && line.startsWith(prefix)) {
				return line.substring(prefix.length());
			}
			if (line == null && !this.process.isAlive() && this.unread.isEmpty()) {
				break;
			}
		}
		throw new IllegalStateException("No line '" + prefix + "' in the output:\n" + String.join("\n", this.log));
	}

	/**
	 * Returns all output so far.
	 * @return the lines
	 */
	public String output() {
		return String.join("\n", this.log);
	}

	/**
	 * Returns all output after the process has ended.
	 * @return the lines
	 */
	public String awaitOutput() {
		awaitExit();
		try {
			if (!this.complete.await(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
				throw new IllegalStateException("The output does not end");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		return output();
	}

	private @Nullable String poll() {
		try {
			return this.unread.poll(100, TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Waits for the process to end.
	 * @return its exit code
	 */
	public int awaitExit() {
		try {
			if (this.process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
				return this.process.exitValue();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		throw new IllegalStateException("The process does not end:\n" + String.join("\n", this.log));
	}

	/**
	 * Returns the id of the process.
	 * @return its number in the operating system
	 */
	public long pid() {
		return this.process.pid();
	}

	/**
	 * Kills the process, as {@code kill -9} does, and waits for its end.
	 */
	public void kill() {
		this.process.destroyForcibly().onExit().join();
	}

	/**
	 * Sends a signal to the process, such as {@code STOP}, which takes the processor away
	 * from it while its clock goes on, and {@code CONT}.
	 * @param signal the name of the signal
	 */
	public void signal(String signal) {
		InstalledProgram.signal(signal, this.process.toHandle());
	}

	@Override
	public void close() {
		kill();
	}

}
