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
package dev.idempotency.conformance.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import dev.idempotency.testsupport.TestDatabase;
import org.awaitility.Awaitility;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * A running server on a free port of the loopback interface.
 */
public final class RunningApplication implements AutoCloseable {

	public static final String ALICE = "alice";

	public static final String BOB = "bob";

	/**
	 * Until it is closed: test classes keep their applications longer than they need
	 * them.
	 */
	private ConfigurableApplicationContext context;

	private final TestDatabase database;

	private final int port;

	private final HttpClient client = HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NEVER).build();

	private RunningApplication(ConfigurableApplicationContext context, TestDatabase database) {
		this.context = context;
		this.database = database;
		var server = (context instanceof WebServerApplicationContext web) ? web.getWebServer() : null;
		this.port = (server != null) ? server.getPort() : -1;
	}

	/**
	 * Starts the base application with more configuration, on a separate database.
	 * @param source a configuration or controller class
	 * @param properties properties as {@code name=value}
	 * @return the running application
	 */
	public static RunningApplication start(Class<?> source, String... properties) {
		return start(List.of(source), properties);
	}

	/**
	 * Starts the base application with more configuration, on a separate database.
	 * @param sources configuration and controller classes
	 * @param properties properties as {@code name=value}
	 * @return the running application
	 */
	public static RunningApplication start(List<Class<?>> sources, String... properties) {
		return start(MigratedDatabase.create(), sources, properties);
	}

	/**
	 * Starts the base application with more configuration, on a given database.
	 * @param database the database
	 * @param sources configuration and controller classes
	 * @param properties properties as {@code name=value}
	 * @return the running application
	 */
	public static RunningApplication start(TestDatabase database, List<Class<?>> sources, String... properties) {
		List<Class<?>> all = new ArrayList<>(sources);
		all.add(BaseApplication.class);
		return startAlone(database, all, properties);
	}

	/**
	 * Starts an application without a server, for what is not about requests. It takes
	 * half of the time.
	 * @param database the database
	 * @param sources configuration classes and services
	 * @param properties properties as {@code name=value}
	 * @return the running application
	 */
	public static RunningApplication startWithoutServer(TestDatabase database, List<Class<?>> sources,
			String... properties) {
		List<Class<?>> all = new ArrayList<>(sources);
		all.add(ServerlessApplication.class);
		return run(WebApplicationType.NONE, database, all, properties);
	}

	/**
	 * Starts an application that is none of the base application's variants.
	 * @param database the database
	 * @param all configuration and controller classes
	 * @param properties properties as {@code name=value}
	 * @return the running application
	 */
	public static RunningApplication startAlone(TestDatabase database, List<Class<?>> all, String... properties) {
		return run(WebApplicationType.SERVLET, database, all, properties);
	}

	private static RunningApplication run(WebApplicationType type, TestDatabase database, List<Class<?>> all,
			String... properties) {
		ConfigurableApplicationContext context = new SpringApplicationBuilder(all.toArray(new Class<?>[0])).web(type)
			.initializers(SharedClassFiles.initializer())
			.properties("server.port=0", "server.address=127.0.0.1", "spring.main.banner-mode=off",
					"spring.application.name=conformance", "spring.jpa.hibernate.ddl-auto=update",
					// The application has no migrations
					"spring.flyway.enabled=false",
					// Connections are made when they are needed
					"spring.datasource.hikari.minimum-idle=1", "spring.datasource.url=" + database.jdbcUrl(),
					"spring.datasource.username=" + database.username(),
					"spring.datasource.password=" + database.password())
			.properties(properties)
			.run();
		return new RunningApplication(context, database);
	}

	public ConfigurableApplicationContext context() {
		return this.context;
	}

	public TestDatabase database() {
		return this.database;
	}

	public JdbcTemplate jdbc() {
		return PortableJdbc.of(this.database.kind(), this.context.getBean(DataSource.class));
	}

	/**
	 * Waits for a database that was out of reach. The pool forgets all connections from
	 * before: it would find out that they are broken one by one, a request for each. New
	 * ones it makes some seconds later, when it has failed to for a while.
	 */
	public void awaitDatabase() {
		this.context.getBean(HikariDataSource.class).getHikariPoolMXBean().softEvictConnections();
		Awaitility.await().ignoreExceptions().until(() -> !jdbc().queryForList("select 1").isEmpty());
	}

	public int port() {
		return this.port;
	}

	/**
	 * Returns whether new connections are accepted.
	 */
	public boolean isAccepting() {
		try (Socket socket = new Socket()) {
			socket.connect(new InetSocketAddress("127.0.0.1", this.port));
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

	/**
	 * The number of effects with a label.
	 */
	public long effects(String label) {
		Long count = jdbc().queryForObject("select count(*) from effect where label = ?", Long.class, label);
		return (count != null) ? count : -1;
	}

	/**
	 * The number of stored records.
	 */
	public long records() {
		return count("idempotency_record");
	}

	/**
	 * The number of leases.
	 */
	public long leases() {
		return count("idempotency_lease where namespace <> ''");
	}

	private long count(String table) {
		Long count = jdbc().queryForObject("select count(*) from " + table, Long.class);
		return (count != null) ? count : -1;
	}

	/**
	 * Returns the content of the records, bytes taken for characters.
	 * @param columns the columns, separated by commas
	 */
	public String storedText(String columns) {
		return jdbc().queryForList("select " + columns + " from idempotency_record")
			.stream()
			.flatMap((row) -> row.values().stream())
			.map((value) -> (value instanceof byte[] bytes) ? new String(bytes, StandardCharsets.ISO_8859_1)
					: String.valueOf(value))
			.collect(Collectors.joining("\n"));
	}

	/**
	 * A request as a user, with a JSON body.
	 */
	public HttpRequest.Builder json(String user, String path, String body) {
		return request(user, path).header("Content-Type", "application/json").POST(BodyPublishers.ofString(body));
	}

	/**
	 * A request as a user.
	 */
	public HttpRequest.Builder request(String user, String path) {
		String credentials = Base64.getEncoder().encodeToString((user + ":" + user).getBytes());
		return anonymous(path).header("Authorization", "Basic " + credentials);
	}

	/**
	 * A request without credentials.
	 */
	public HttpRequest.Builder anonymous(String path) {
		return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path)).timeout(Duration.ofSeconds(60));
	}

	public HttpResponse<byte[]> send(HttpRequest.Builder request) {
		try {
			return this.client.send(request.build(), BodyHandlers.ofByteArray());
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
	 * Post JSON as Alice, with a key that is the label of its effect.
	 */
	public HttpResponse<byte[]> post(String path, String key) {
		return post(ALICE, path, key, Labelled.json(key));
	}

	/**
	 * Post JSON as a user with a key.
	 */
	public HttpResponse<byte[]> post(String user, String path, String key, String body) {
		return send(json(user, path, body).header("Idempotency-Key", key));
	}

	@Override
	public void close() {
		if (this.context != null) {
			this.context.close();
			this.context = null;
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ JpaEffects.class, JdbcEffects.class })
	static class ServerlessApplication {

	}

}
