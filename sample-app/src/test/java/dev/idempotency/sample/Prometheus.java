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
package dev.idempotency.sample;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * An installed Prometheus that scrapes the sample every second, and evaluates the alert
 * rules.
 */
final class Prometheus implements AutoCloseable {

	/**
	 * Of system property {@code prometheus.directory}, or where Debian has them.
	 */
	private static final Path PROGRAMS = Path.of(System.getProperty("prometheus.directory", "/usr/bin"));

	private static final String CONFIGURATION = """
			global: {scrape_interval: 1s, evaluation_interval: 1s}
			rule_files: [%s]
			scrape_configs:
			  - job_name: rocket-rides
			    metrics_path: /actuator/prometheus
			    basic_auth: {username: ops, password: ops}
			    static_configs: [{targets: ['localhost:%d']}]
			""";

	private static final Pattern ADDRESS = Pattern.compile("msg=\"Listening on\" address=(\\S+)");

	private final HttpClient client = HttpClient.newHttpClient();

	private final Process process;

	private final String address;

	private Prometheus(Process process, String address) {
		this.process = process;
		this.address = address;
	}

	/**
	 * Starts it.
	 * @param directory where it keeps its data
	 * @param port the port of the sample
	 * @return the server, to be closed
	 */
	static Prometheus start(Path directory, int port) throws Exception {
		Path configuration = directory.resolve("prometheus.yml");
		Files.writeString(configuration,
				CONFIGURATION.formatted(MonitoringFiles.path(MonitoringFiles.ALERTS).toRealPath(), port));
		Process process = run("prometheus", "--config.file=" + configuration,
				"--storage.tsdb.path=" + directory.resolve("data"), "--web.listen-address=127.0.0.1:0");
		CompletableFuture<String> address = new CompletableFuture<>();
		Thread log = new Thread(() -> readLog(process, address), "prometheus-log");
		log.setDaemon(true);
		log.start();
		return new Prometheus(process, "http://" + address.get(60, TimeUnit.SECONDS));
	}

	/**
	 * Runs promtool.
	 * @param arguments its command and options
	 * @return its output, which ends with its exit code
	 */
	static String tool(String... arguments) throws Exception {
		Process process = run("promtool", arguments);
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		return output + "exit code " + process.waitFor();
	}

	private static Process run(String program, String... arguments) throws IOException {
		List<String> command = new ArrayList<>(List.of(PROGRAMS.resolve(program).toString()));
		command.addAll(List.of(arguments));
		return new ProcessBuilder(command).redirectErrorStream(true).start();
	}

	/**
	 * Reads to the end: a log that nobody reads would stop the server.
	 */
	private static void readLog(Process process, CompletableFuture<String> address) {
		StringBuilder log = new StringBuilder();
		try (BufferedReader reader = new BufferedReader(
				new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
			for (String line = reader.readLine(); line != null; line = reader.readLine()) {
				log.append(line).append('\n');
				Matcher matcher = ADDRESS.matcher(line);
				if (matcher.find()) {
					address.complete(matcher.group(1));
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		finally {
			address.completeExceptionally(new IllegalStateException("Prometheus has ended:\n" + log));
		}
	}

	/**
	 * Evaluates a query now.
	 * @param query the query
	 * @return the value of each series
	 */
	List<Double> values(String query) throws Exception {
		return get("/api/v1/query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8)).at("/data/result")
			.valueStream()
			.map((series) -> Double.parseDouble(series.at("/value/1").asString().replace("Inf", "Infinity")))
			.toList();
	}

	/**
	 * The alert rules.
	 */
	List<JsonNode> rules() throws Exception {
		return get("/api/v1/rules").at("/data/groups")
			.valueStream()
			.flatMap((group) -> group.get("rules").valueStream())
			.toList();
	}

	private JsonNode get(String path) throws Exception {
		HttpResponse<String> response = this.client.send(
				HttpRequest.newBuilder(URI.create(this.address + path)).build(), HttpResponse.BodyHandlers.ofString());
		if (response.statusCode() != 200) {
			throw new IllegalArgumentException(response.body());
		}
		return JsonMapper.shared().readTree(response.body());
	}

	@Override
	public void close() throws Exception {
		this.process.destroy();
		this.process.waitFor();
	}

}
