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
package dev.idempotency.messagingtests.soak;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import dev.idempotency.testsupport.FreePorts;

/**
 * An installed RabbitMQ, on the loopback interface. The program is the one that runs as
 * the current user, and not the script of Debian's package that becomes another.
 */
final class RabbitProcess implements Broker {

	private static final Path BIN = Path.of(System.getProperty("soak.rabbitmq", "/usr/lib/rabbitmq/bin"));

	private final int port = FreePorts.findOne();

	private final Map<String, String> environment;

	private final Path directory;

	private @Nullable Process process;

	RabbitProcess(Path directory) {
		this.directory = directory;
		try {
			Path settings = Files.writeString(directory.resolve("rabbitmq.conf"),
					"listeners.tcp.default = 127.0.0.1:" + this.port + "\n");
			Path plugins = Files.writeString(directory.resolve("plugins"), "[].");
			this.environment = Map.ofEntries(Map.entry("HOME", directory.toString()),
					Map.entry("RABBITMQ_NODENAME", "soak@localhost"), Map.entry("RABBITMQ_NODE_PORT", "" + this.port),
					Map.entry("RABBITMQ_DIST_PORT", "" + FreePorts.findOne()),
					Map.entry("ERL_EPMD_PORT", "" + FreePorts.findOne()), Map.entry("ERL_EPMD_ADDRESS", "127.0.0.1"),
					Map.entry("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS",
							"-setcookie soak -kernel inet_dist_use_interface {127,0,0,1}"),
					Map.entry("RABBITMQ_MNESIA_BASE", directory.resolve("data").toString()),
					Map.entry("RABBITMQ_LOGS", "-"), Map.entry("RABBITMQ_CONFIG_FILE", settings.toString()),
					Map.entry("RABBITMQ_ENABLED_PLUGINS_FILE", plugins.toString()),
					Map.entry("RABBITMQ_PID_FILE", directory.resolve("pid").toString()));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void start() {
		this.process = run(BIN.resolve("rabbitmq-server").toString());
		ConnectionFactory connections = new ConnectionFactory();
		connections.setPort(this.port);
		Awaitility.await().atMost(2, TimeUnit.MINUTES).ignoreExceptions().until(() -> {
			try (Connection connection = connections.newConnection()) {
				return connection.isOpen();
			}
		});
	}

	private Process run(String... command) {
		ProcessBuilder builder = new ProcessBuilder(command).directory(this.directory.toFile())
			.redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(this.directory.resolve("broker.log").toFile()));
		builder.environment().putAll(this.environment);
		try {
			return builder.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("No RabbitMQ: install rabbitmq-server, or set -Dsoak.rabbitmq", ex);
		}
	}

	@Override
	public void kill() {
		if (this.process != null) {
			List<ProcessHandle> all = processes(this.process);
			all.forEach(ProcessHandle::destroyForcibly);
			all.forEach((each) -> each.onExit().join());
		}
	}

	/**
	 * Returns the script, which waits for the server, and the server with its helpers.
	 */
	private static List<ProcessHandle> processes(Process script) {
		return Stream.concat(Stream.of(script.toHandle()), script.descendants()).toList();
	}

	@Override
	public void signal(String signal) {
		List<String> command = new ArrayList<>(List.of("kill", "-" + signal));
		processes(Objects.requireNonNull(this.process)).forEach((each) -> command.add("" + each.pid()));
		run(command.toArray(String[]::new)).onExit().join();
	}

	@Override
	public List<String> settings() {
		return List.of("--idempotency.outbox.broker=rabbit", "--soak.destination=soak/any",
				"--spring.rabbitmq.port=" + this.port, "--spring.rabbitmq.requested-heartbeat=2s",
				"--spring.rabbitmq.connection-timeout=5s", "--spring.rabbitmq.listener.simple.prefetch=10");
	}

	/**
	 * Ends the broker, and the daemon that it has started for its name.
	 */
	@Override
	public void close() {
		kill();
		run("epmd", "-kill").onExit().join();
	}

}
