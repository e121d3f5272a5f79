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
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The properties as an editor shows them.
 */
class ConfigurationMetadataTests {

	@Test
	void everyPropertyHasADescriptionThatIsASentence() throws IOException {
		assertThat(properties()).hasSizeGreaterThan(30).allSatisfy((property) -> {
			assertThat(property.path("name").asString()).matches("(management\\.endpoint\\.)?idempotency.*");
			assertThat(property.path("description").asString()).as(property.path("name").asString())
				.matches("(?s)[A-Z].*\\.");
		});
	}

	@Test
	void defaultsAreShown() throws IOException {
		assertThat(properties()).filteredOn((property) -> property.path("name").asString().equals("idempotency.ttl"))
			.singleElement()
			.satisfies((property) -> assertThat(property.path("defaultValue").asString()).isEqualTo("24h"));
		assertThat(properties())
			.filteredOn((property) -> property.path("name").asString().equals("idempotency.schema.management"))
			.singleElement()
			.satisfies((property) -> assertThat(property.path("defaultValue").asString()).isEqualTo("flyway"));
	}

	@Test
	void descriptionsNameTheirSubject() throws IOException {
		assertThat(properties()).allSatisfy(
				(property) -> assertThat(property.path("description").asString()).as(property.path("name").asString())
					.doesNotMatch("(How|What|Who|Where|No) .*")
					.doesNotMatch("(?s).*\\b(it|they|that cache)\\b (keeps|waits|is tried|is told).*")
					.doesNotContain("at the most", "at the least"));
	}

	@Test
	void hintsHoldNoValueThatIsRefused() throws IOException {
		assertThat(hints()).extracting((hint) -> hint.path("name").asString())
			.contains("idempotency.scope", "idempotency.mode", "idempotency.ttl", "idempotency.lease.duration",
					"idempotency.transaction-manager");
		assertThat(hints()).flatExtracting(ConfigurationMetadataTests::values)
			.doesNotContain("default", "DEFAULT", "resource");
		assertThat(properties())
			.filteredOn((property) -> property.path("name").asString().matches("idempotency\\.(scope|mode)"))
			.extracting((property) -> property.path("type").asString())
			.containsExactlyInAnyOrder(IdempotencyProperties.DefaultScope.class.getName(),
					IdempotencyProperties.DefaultMode.class.getName());
	}

	private static List<String> values(JsonNode hint) {
		List<String> values = new ArrayList<>();
		hint.path("values").forEach((value) -> values.add(value.path("value").asString()));
		return values;
	}

	private static List<JsonNode> properties() throws IOException {
		return metadata("properties");
	}

	private static List<JsonNode> hints() throws IOException {
		return metadata("hints");
	}

	private static List<JsonNode> metadata(String kind) throws IOException {
		try (InputStream metadata = IdempotencyProperties.class
			.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
			List<JsonNode> elements = new ArrayList<>();
			JsonMapper.shared().readTree(metadata).path(kind).forEach(elements::add);
			return elements;
		}
	}

}
