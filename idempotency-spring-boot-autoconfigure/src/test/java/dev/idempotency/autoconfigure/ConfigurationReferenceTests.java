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
package dev.idempotency.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds the table of docs/reference/configuration.md against the metadata that the build
 * makes from {@link IdempotencyProperties}.
 */
class ConfigurationReferenceTests {

	private static final Path PAGE = Path.of("..", "docs", "reference", "configuration.md");

	private static final String METADATA = "META-INF/spring-configuration-metadata.json";

	/**
	 * The name and the default, which is empty where the metadata has none.
	 */
	private static final Pattern ROW = Pattern.compile("^\\| `(idempotency\\.[^`]+)` \\|(?: `([^`]*)`)? \\|.*\\|$",
			Pattern.MULTILINE);

	@Test
	void theTableHasEveryPropertyWithItsDefaultAndNoOther() throws IOException {
		assertThat(table()).isEqualTo(metadata());
	}

	@ParameterizedTest
	@MethodSource
	void aRowNamesEveryPermittedValue(String property, List<String> values) throws IOException {
		assertThat(Files.readAllLines(PAGE)).filteredOn((line) -> line.startsWith("| `" + property + "` |"))
			.singleElement()
			.satisfies((row) -> assertThat(values).allMatch((value) -> row.contains("`" + value + "`")));
	}

	static Stream<Arguments> aRowNamesEveryPermittedValue() throws IOException {
		return properties().filter((property) -> type(property).isEnum())
			.map((property) -> Arguments.of(property.get("name").asString(),
					Stream.of(type(property).getEnumConstants()).map(ConfigurationReferenceTests::value).toList()));
	}

	private static Class<?> type(JsonNode property) {
		String name = property.get("type").asString();
		return ClassUtils.resolveClassName(name.replaceAll("<.*", ""), null);
	}

	private static String value(Object constant) {
		return constant.toString().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	private static Map<String, String> table() throws IOException {
		Map<String, String> properties = new TreeMap<>();
		Matcher row = ROW.matcher(Files.readString(PAGE));
		while (row.find()) {
			String value = (row.group(2) != null) ? row.group(2) : "";
			assertThat(properties.put(row.group(1), value)).as("Second row of %s", row.group(1)).isNull();
		}
		return properties;
	}

	private static Map<String, String> metadata() throws IOException {
		Map<String, String> properties = new TreeMap<>();
		properties().forEach((property) -> {
			JsonNode value = property.get("defaultValue");
			properties.put(property.get("name").asString(), (value != null) ? value.asString() : "");
		});
		return properties;
	}

	/**
	 * Without those of Spring Boot's, for the endpoints.
	 */
	private static Stream<JsonNode> properties() throws IOException {
		try (InputStream in = IdempotencyProperties.class.getClassLoader().getResourceAsStream(METADATA)) {
			return JsonMapper.shared()
				.readTree(in)
				.get("properties")
				.valueStream()
				.filter((property) -> property.get("name").asString().startsWith("idempotency."));
		}
	}

}
