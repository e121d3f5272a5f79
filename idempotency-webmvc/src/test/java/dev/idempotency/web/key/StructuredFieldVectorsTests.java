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
package dev.idempotency.web.key;

import java.nio.file.Path;
import java.text.ParseException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.StringUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The items of the HTTP working group's test vectors for structured fields, as
 * {@link StructuredFieldParser} reads them: as the string that holds a key, and as the
 * value of a parameter behind one. The vectors are those of a commit that {@code .ci/run}
 * names.
 */
@Tag("vectors")
class StructuredFieldVectorsTests {

	private static final List<String> FILES = List.of("binary", "boolean", "date", "display-string", "examples", "item",
			"large-generated", "number", "number-generated", "string", "string-generated", "token", "token-generated");

	static Stream<Vector> items() {
		return FILES.stream().flatMap(StructuredFieldVectorsTests::items);
	}

	private static Stream<Vector> items(String file) {
		Path vectors = Path.of(System.getProperty("structured-field-tests"), file + ".json");
		return JsonMapper.shared()
			.readTree(vectors)
			.valueStream()
			.filter((vector) -> vector.path("header_type").stringValue().equals("item"))
			.map((vector) -> Vector.of(file, vector));
	}

	@Test
	void allItemsAreRead() {
		assertThat(items()).hasSize(840);
	}

	@ParameterizedTest
	@MethodSource("items")
	@Tag("K12")
	void aStringIsReadAsTheKeyAndNothingElseIs(Vector vector) {
		String read = parse(vector.raw());
		if (vector.string() == null || vector.mustFail()) {
			assertThat(read).isNull();
		}
		else if (read != null || !vector.canFail()) {
			assertThat(read).isEqualTo(vector.string());
		}
	}

	@ParameterizedTest
	@MethodSource("items")
	@Tag("K13")
	void anItemIsReadAsTheValueOfAParameter(Vector vector) {
		String read = parse("\"key\";parameter=" + StringUtils.trimLeadingCharacter(vector.raw(), ' '));
		if (vector.mustFail()) {
			assertThat(read).isNull();
		}
		else if (read != null || !vector.canFail()) {
			assertThat(read).isEqualTo("key");
		}
	}

	private static @Nullable String parse(String text) {
		try {
			return new StructuredFieldParser(text).stringItem();
		}
		catch (ParseException ex) {
			return null;
		}
	}

	/**
	 * A test vector.
	 *
	 * @param name the file and the name in it
	 * @param raw the field value; lines are combined as in RFC 9651, section 4.2
	 * @param string the expected string, {@code null} if it is of another type or
	 * malformed
	 * @param mustFail whether it is malformed
	 * @param canFail whether a parser may refuse it
	 */
	record Vector(String name, String raw, @Nullable String string, boolean mustFail, boolean canFail) {

		static Vector of(String file, JsonNode vector) {
			JsonNode value = vector.path("expected").path(0);
			return new Vector(file + ": " + vector.path("name").stringValue(),
					vector.path("raw").valueStream().map(JsonNode::stringValue).collect(Collectors.joining(", ")),
					value.isString() ? value.stringValue() : null, vector.path("must_fail").booleanValue(false),
					vector.path("can_fail").booleanValue(false));
		}

		@Override
		public String toString() {
			return this.name;
		}

	}

}
