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
package dev.idempotency.messagingtests.broker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

import org.apache.qpid.server.SystemLauncher;
import org.apache.qpid.server.SystemLauncherListener.DefaultSystemLauncherListener;
import org.apache.qpid.server.model.Broker;
import org.apache.qpid.server.model.Port;
import org.apache.qpid.server.model.SystemConfig;
import org.jspecify.annotations.Nullable;

import org.springframework.util.FileSystemUtils;

/**
 * A real broker for AMQP 0-9-1, the protocol of RabbitMQ, on a free port of the loopback
 * interface, started by the first use and shared by the whole JVM. It is Apache Qpid,
 * which acknowledges, requeues and marks redelivered messages as RabbitMQ does, has no
 * {@code x-dead-letter-exchange}, and knows user {@code guest} with password
 * {@code guest}.
 */
public final class TestRabbit {

	private TestRabbit() {
	}

	/**
	 * The port on which clients connect.
	 * @return a port of {@code localhost}
	 */
	public static int port() {
		return SharedBroker.INSTANCE.port();
	}

	/**
	 * A name for a queue that no other test uses.
	 * @return the name; the queue itself is declared by the application
	 */
	public static String queueName() {
		return "queue-" + UUID.randomUUID();
	}

	/**
	 * Starts when it is first touched.
	 */
	private static final class SharedBroker extends DefaultSystemLauncherListener {

		static final SharedBroker INSTANCE = new SharedBroker();

		private final SystemLauncher launcher = new SystemLauncher(this);

		private @Nullable SystemConfig<?> system;

		private SharedBroker() {
			try {
				Path work = Files.createTempDirectory("idempotency-amqp-");
				Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(work), "amqp-shutdown"));
				Map<String, Object> attributes = new HashMap<>();
				attributes.put(SystemConfig.TYPE, "Memory");
				attributes.put(SystemConfig.CONTEXT, Map.of(SystemConfig.QPID_WORK_DIR, work.toString()));
				attributes.put(SystemConfig.INITIAL_CONFIGURATION_LOCATION,
						TestRabbit.class.getResource("/amqp-broker.json").toString());
				attributes.put(SystemConfig.STARTUP_LOGGED_TO_SYSTEM_OUT, false);
				this.launcher.startup(attributes);
			}
			catch (Exception ex) {
				throw new IllegalStateException("Could not start the AMQP broker", ex);
			}
		}

		@Override
		public void onContainerResolve(SystemConfig<?> systemConfig) {
			this.system = systemConfig;
		}

		private int port() {
			if (this.system == null || !(this.system.getContainer() instanceof Broker<?> broker)) {
				throw new IllegalStateException("The AMQP broker has not started");
			}
			return broker.getPorts().stream().mapToInt(Port::getBoundPort).findFirst().orElseThrow();
		}

		private void stop(Path work) {
			this.launcher.shutdown();
			try {
				FileSystemUtils.deleteRecursively(work);
			}
			catch (IOException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
