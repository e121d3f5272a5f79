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
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import kafka.Kafka;
import kafka.tools.StorageTool;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import dev.idempotency.testsupport.FreePorts;
import dev.idempotency.testsupport.JavaProcess;

/**
 * The server of Kafka, in KRaft mode.
 */
final class KafkaProcess implements Broker {

	private final int port = FreePorts.findOne();

	private final Path settings;

	private @Nullable JavaProcess process;

	KafkaProcess(Path directory) {
		this.settings = directory.resolve("server.properties");
		int controllers = FreePorts.findOne();
		try {
			Files.writeString(this.settings, """
					process.roles=broker,controller
					node.id=1
					controller.quorum.voters=1@localhost:%2$d
					controller.listener.names=CONTROLLER
					listeners=PLAINTEXT://localhost:%1$d,CONTROLLER://localhost:%2$d
					advertised.listeners=PLAINTEXT://localhost:%1$d
					log.dirs=%3$s
					offsets.topic.replication.factor=1
					offsets.topic.num.partitions=1
					group.initial.rebalance.delay.ms=0
					""".formatted(this.port, controllers, directory.resolve("log")));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Runs the server in this process.
	 * @param arguments the file with its settings
	 */
	public static void main(String[] arguments) {
		StorageTool.execute(new String[] { "format", "--ignore-formatted", "--cluster-id", "c29hay1pZGVtcG90ZW5jeQ",
				"--config", arguments[0] }, System.out);
		Kafka.main(arguments);
	}

	@Override
	public void start() {
		this.process = JavaProcess.start(KafkaProcess.class, List.of(this.settings.toString()));
		try (Admin admin = Admin
			.create(Map.of(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, "localhost:" + this.port))) {
			Awaitility.await()
				.atMost(2, TimeUnit.MINUTES)
				.ignoreExceptions()
				.until(() -> !admin.describeCluster().nodes().get(2, TimeUnit.SECONDS).isEmpty());
		}
	}

	@Override
	public void kill() {
		if (this.process != null) {
			this.process.kill();
		}
	}

	@Override
	public void signal(String signal) {
		Objects.requireNonNull(this.process).signal(signal);
	}

	@Override
	public List<String> settings() {
		return List.of("--idempotency.outbox.broker=kafka", "--soak.destination=soak",
				"--spring.kafka.bootstrap-servers=localhost:" + this.port,
				"--spring.kafka.consumer.auto-offset-reset=earliest",
				// A dead consumer holds its partitions for as short as the broker allows.
				"--spring.kafka.consumer.properties.session.timeout.ms=6000",
				"--spring.kafka.consumer.properties.heartbeat.interval.ms=1000",
				"--spring.kafka.consumer.properties.max.poll.interval.ms=10000");
	}

}
