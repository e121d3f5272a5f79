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
package dev.idempotency.messagingtests.inbox;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.tools.ToolProvider;

import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.idempotency.messagingtests.broker.TestKafka;
import dev.idempotency.messagingtests.broker.TestRabbit;
import dev.idempotency.testsupport.ExecutableJar;
import dev.idempotency.testsupport.JavaProcess;
import dev.idempotency.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two versions of an application, each an executable jar, on one database and with the
 * same brokers. In the second version a parameter was added to a listener, another one
 * that has an id was renamed, and payloads and arguments have a new field.
 */
@Tag("M1")
class RollingDeploymentTests {

	private static final int PAYMENTS = 60;

	private static final int PARTITIONS = 3;

	private static final List<String> LISTENERS = List.of("rolling-plain", "rolling-given", "rolling-service",
			"rolling-rabbit");

	private final TestDatabase database = Effects.createDatabase();

	private final String topic = TestKafka.createTopic(PARTITIONS);

	private final String deadLetters = TestKafka.createTopic(1);

	private final String queue = TestRabbit.queueName();

	@Test
	void everyMessageHasOneEffectOverARollingDeployment(@TempDir Path directory) throws IOException {
		try (ExecutableJar one = build(directory, "one");
				ExecutableJar two = build(directory, "two");
				Inbox sender = Inbox.start(RollingApplication.Sender.class, this.database, Map.of("queue", this.queue));
				JavaProcess first = JavaProcess.startJar(one.path(), List.of(), arguments())) {
			first.awaitLine(RollingApplication.STARTED);
			send(sender, 0, PAYMENTS / 2);
			awaitEffects(sender, PAYMENTS / 2, first);
			try (JavaProcess second = JavaProcess.startJar(two.path(), List.of(), arguments())) {
				second.awaitLine(RollingApplication.STARTED);
				send(sender, 0, PAYMENTS);
				awaitEffects(sender, PAYMENTS, second);
				first.kill();
				send(sender, 0, PAYMENTS + 1);
				awaitEffects(sender, PAYMENTS + 1, second);
			}
			for (String listener : LISTENERS) {
				assertThat(sender.effects().of(listener)).as(listener)
					.containsExactlyInAnyOrderElementsOf(
							IntStream.rangeClosed(0, PAYMENTS).mapToObj(RollingDeploymentTests::effect).toList());
			}
			assertThat(KafkaLog.read(this.deadLetters)).isEmpty();
		}
	}

	/**
	 * Sends each payment to each partition, and twice to the queue.
	 */
	private void send(Inbox sender, int from, int to) {
		for (int number = from; number < to; number++) {
			String json = "{\"id\":\"" + number + "\",\"cents\":" + (100 + number) + "}";
			for (int partition = 0; partition < PARTITIONS; partition++) {
				sender.sendToKafka(this.topic, partition, json, Map.of("message-id", String.valueOf(number)));
			}
			sender.sendToRabbit(this.queue, String.valueOf(number), effect(number));
			sender.sendToRabbit(this.queue, String.valueOf(number), effect(number));
		}
	}

	private static String effect(int number) {
		return number + ":" + (100 + number);
	}

	private static void awaitEffects(Inbox sender, int count, JavaProcess process) {
		try {
			Inbox.await()
				.until(() -> LISTENERS.stream().allMatch((listener) -> sender.effects().of(listener).size() >= count));
		}
		catch (ConditionTimeoutException ex) {
			throw new AssertionError(process.output(), ex);
		}
	}

	private List<String> arguments() {
		List<String> arguments = new ArrayList<>(Inbox.arguments(this.database));
		arguments.addAll(List.of("--topic=" + this.topic, "--dead-letters=" + this.deadLetters, "--queue=" + this.queue,
				"--spring.kafka.consumer.value-deserializer=org.springframework.kafka.support.serializer.JacksonJsonDeserializer",
				"--spring.kafka.producer.value-serializer=org.springframework.kafka.support.serializer.JacksonJsonSerializer",
				"--spring.kafka.consumer.properties.spring.json.value.default.type=" + RollingApplication.LISTENERS
						+ "$Payment",
				"--spring.kafka.consumer.properties.session.timeout.ms=6000",
				"--spring.kafka.consumer.properties.heartbeat.interval.ms=1000"));
		return arguments;
	}

	/**
	 * Compiles and packages a version.
	 */
	private static ExecutableJar build(Path directory, String version) throws IOException {
		Path classes = Files.createDirectories(directory.resolve(version));
		Path source = Path.of("src/test/resources/rolling", version, "RollingListeners.java");
		String classPath = System.getProperty("java.class.path");
		int result = ToolProvider.getSystemJavaCompiler()
			.run(null, null, null, "-parameters", "-proc:none", "-cp", classPath, "-d", classes.toString(),
					source.toString());
		assertThat(result).isZero();
		List<File> entries = new ArrayList<>(Stream.of(classPath.split(File.pathSeparator)).map(File::new).toList());
		entries.add(classes.toFile());
		return ExecutableJar.of(entries,
				(entry) -> entry.equals(classes.toFile()) || entry.getPath().endsWith("test-classes"),
				RollingApplication.class);
	}

}
