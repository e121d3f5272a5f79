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
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

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
		try (InputStream in = IdempotencyProperties.class.getClassLoader().getResourceAsStream(METADATA)) {
			for (JsonNode property : JsonMapper.shared().readTree(in).get("properties")) {
				JsonNode value = property.get("defaultValue");
				String name = property.get("name").asString();
				// The others are Spring Boot's, for the endpoints.
				if (name.startsWith("idempotency.")) {
					properties.put(name, (value != null) ? value.asString() : "");
				}
			}
		}
		return properties;
	}

}
