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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The files of docs/operations.
 */
final class MonitoringFiles {

	static final String RUNBOOK = "docs/operations/runbook.md";

	static final String ALERTS = "docs/operations/alerts.yml";

	static final String ALERTS_TEST = "docs/operations/alerts.test.yml";

	private static final Path ROOT = Path.of("..");

	private static final Pattern HEADING = Pattern.compile("^#+ (.+)$", Pattern.MULTILINE);

	private static final Pattern SQL = Pattern.compile("^```sql\n(.+?)```$", Pattern.MULTILINE | Pattern.DOTALL);

	private MonitoringFiles() {
	}

	/**
	 * The alert rules.
	 */
	@SuppressWarnings("unchecked")
	static List<Map<String, Object>> alerts() throws IOException {
		Map<String, List<Map<String, Object>>> file = new Yaml().load(read(ALERTS));
		return file.get("groups")
			.stream()
			.flatMap((group) -> ((List<Map<String, Object>>) group.get("rules")).stream())
			.toList();
	}

	static JsonNode dashboard() throws IOException {
		return JsonMapper.shared().readTree(read("docs/operations/grafana-dashboard.json"));
	}

	/**
	 * All expressions of both files.
	 */
	static List<String> expressions() throws IOException {
		List<String> expressions = new ArrayList<>(queries());
		alerts().forEach((alert) -> expressions.add((String) alert.get("expr")));
		return expressions;
	}

	/**
	 * The queries of the dashboard, those of its variables as well.
	 */
	static List<String> queries() throws IOException {
		List<String> queries = new ArrayList<>();
		panels().flatMap((panel) -> stream(panel.path("targets")))
			.forEach((target) -> queries.add(target.get("expr").asString()));
		stream(dashboard().at("/templating/list")).filter((variable) -> variable.get("type").asString().equals("query"))
			.forEach((variable) -> queries.add(variable.at("/query/query").asString()));
		return queries;
	}

	static Stream<JsonNode> panels() throws IOException {
		return stream(dashboard().get("panels"));
	}

	/**
	 * The anchors of the runbook's headings, as GitHub makes them.
	 */
	static List<String> anchors() throws IOException {
		return HEADING.matcher(read(RUNBOOK))
			.results()
			.map((heading) -> heading.group(1)
				.toLowerCase(Locale.ROOT)
				.replaceAll("[^a-z0-9 _-]", "")
				.replace(' ', '-'))
			.toList();
	}

	/**
	 * The statements of the runbook.
	 */
	static List<String> statements() throws IOException {
		return SQL.matcher(read(RUNBOOK)).results().map((MatchResult block) -> block.group(1)).toList();
	}

	static String read(String file) throws IOException {
		return Files.readString(path(file));
	}

	static Path path(String file) {
		return ROOT.resolve(file);
	}

	private static Stream<JsonNode> stream(JsonNode array) {
		return StreamSupport.stream(array.spliterator(), false);
	}

}
