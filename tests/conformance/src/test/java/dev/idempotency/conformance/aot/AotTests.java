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
package dev.idempotency.conformance.aot;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;

import javax.tools.ToolProvider;

import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.testsupport.JavaProcess;
import dev.idempotency.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.SpringApplicationAotProcessor;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The library in an application that was processed ahead of time: the context's code is
 * generated and compiled, as the build does it, and the application is started with it,
 * in a separate JVM. This is the half of a native image that needs no native image.
 */
@Tag("processes")
class AotTests {

	private static final TestDatabase DATABASE = TestDatabase.create();

	private static final HttpClient CLIENT = HttpClient.newHttpClient();

	@TempDir
	private static Path work;

	private static JavaProcess application;

	private static String address;

	@BeforeAll
	static void start() throws IOException {
		process();
		compile();
		Stream<File> classPath = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
			.map(File::new);
		application = JavaProcess
			.startOn(
					Stream
						.concat(Stream.of(work.resolve("classes").toFile(), work.resolve("resources").toFile()),
								classPath)
						.toList(),
					List.of("-Dspring.aot.enabled=true"), AotApplication.class,
					List.of("--server.port=0", "--server.address=127.0.0.1", "--spring.application.name=aot",
							"--spring.jpa.hibernate.ddl-auto=update", "--spring.datasource.url=" + DATABASE.jdbcUrl(),
							"--spring.datasource.username=" + DATABASE.username(),
							"--spring.datasource.password=" + DATABASE.password()));
		address = "http://127.0.0.1:" + application.awaitLine(AotApplication.STARTED);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	/**
	 * Without a database: nothing may ask for one at build time.
	 */
	private static void process() throws IOException {
		List<String> arguments = new ArrayList<>(List.of(AotApplication.class.getName()));
		for (String folder : List.of("sources", "resources", "classes")) {
			arguments.add(Files.createDirectories(work.resolve(folder)).toString());
		}
		arguments.addAll(List.of("dev.idempotency", "aot"));
		try (JavaProcess processor = JavaProcess.start(SpringApplicationAotProcessor.class, arguments)) {
			assertThat(processor.awaitExit()).isZero();
		}
	}

	private static void compile() throws IOException {
		String classes = work.resolve("classes").toString();
		List<String> arguments = new ArrayList<>(List.of("-proc:none", "-nowarn", "-XDsuppressNotes", "-d", classes,
				"-cp", classes + File.pathSeparator + System.getProperty("java.class.path")));
		try (Stream<Path> sources = Files.walk(work.resolve("sources"))) {
			sources.map(Path::toString).filter((name) -> name.endsWith(".java")).forEach(arguments::add);
		}
		assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)))
			.isZero();
	}

	@Test
	void theContextIsTheGeneratedOne() {
		assertThat(work
			.resolve("classes/dev/idempotency/conformance/aot/AotApplication__ApplicationContextInitializer.class"))
			.exists();
		assertThat(application.output()).contains("Starting AOT-processed AotApplication");
	}

	@Test
	void aHandlerInOneTransactionIsExecutedOnce() {
		assertOnce("/one");
	}

	@Test
	void aHandlerInPhasesIsExecutedOnce() {
		assertOnce("/phases");
	}

	@Test
	void aServiceIsExecutedOnceAndItsValueIsReadAgain() {
		HttpResponse<byte[]> first = post("/service", "service");
		assertOriginal(first, 201);
		assertThat(post("/service", "service").body()).isEqualTo(first.body());
		assertThat(effects("service")).isEqualTo(1);
	}

	private static void assertOnce(String path) {
		HttpResponse<byte[]> first = post(path, path);
		assertOriginal(first, 201);
		assertReplay(post(path, path), first);
		assertThat(effects(path)).isEqualTo(1);
	}

	private static HttpResponse<byte[]> post(String path, String label) {
		HttpRequest request = HttpRequest.newBuilder(URI.create(address + path))
			.header("Authorization", "Basic " + Base64.getEncoder().encodeToString("alice:alice".getBytes()))
			.header("Content-Type", "application/json")
			.header("Idempotency-Key", "key-of-" + label)
			.POST(BodyPublishers.ofString(Labelled.json(label)))
			.build();
		return CLIENT.sendAsync(request, BodyHandlers.ofByteArray()).join();
	}

	private static int effects(String label) {
		JdbcTemplate jdbc = new JdbcTemplate(
				new DriverManagerDataSource(DATABASE.jdbcUrl(), DATABASE.username(), DATABASE.password()));
		return jdbc.queryForList("select 1 from effect where label = ?", label).size();
	}

}
