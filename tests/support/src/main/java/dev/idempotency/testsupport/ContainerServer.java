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

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.testcontainers.DockerClientFactory;
import org.testcontainers.postgresql.PostgreSQLContainer;

/**
 * PostgreSQL in a container, removed by Testcontainers at the end of the JVM.
 */
final class ContainerServer implements PostgresServer {

	private static final String IMAGE = "postgres:18-alpine";

	private final PostgreSQLContainer container;

	private ContainerServer(PostgreSQLContainer container) {
		this.container = container;
	}

	/**
	 * Returns whether a Docker engine is available. Testcontainers is asked only where
	 * there may be one, because it reports the lack of it as an error.
	 */
	static boolean isAvailable() {
		Path home = Path.of(System.getProperty("user.home"));
		boolean likely = System.getenv("DOCKER_HOST") != null || System.getProperty("os.name").startsWith("Windows")
				|| Stream
					.of(Path.of("/var/run/docker.sock"), home.resolve(".docker/run/docker.sock"),
							home.resolve(".docker/desktop/docker.sock"), home.resolve(".testcontainers.properties"))
					.anyMatch(Files::exists);
		return likely && DockerClientFactory.instance().isDockerAvailable();
	}

	static ContainerServer start(Map<String, String> settings) {
		List<String> command = new ArrayList<>(List.of("postgres"));
		settings.forEach((name, value) -> command.addAll(List.of("-c", name + "=" + value)));
		PostgreSQLContainer container = new PostgreSQLContainer(IMAGE);
		container.withCommand(command.toArray(String[]::new)).start();
		return new ContainerServer(container);
	}

	@Override
	public TestDatabase database(String name) {
		String url = "jdbc:postgresql://" + this.container.getHost() + ":"
				+ this.container.getMappedPort(PostgreSQLContainer.POSTGRESQL_PORT) + "/" + name;
		return new TestDatabase(url, this.container.getUsername(), this.container.getPassword());
	}

}
