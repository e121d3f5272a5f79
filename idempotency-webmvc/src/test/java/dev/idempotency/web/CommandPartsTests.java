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
package dev.idempotency.web;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.core.JsonPointer;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("Y11")
class CommandPartsTests {

	private final CommandParts parts = new CommandParts(Set.of(),
			List.of(JsonPointer.compile("/card/cvc"), JsonPointer.compile("/lines/0/pin")),
			Set.of("_idempotency_key", "pin"));

	@ParameterizedTest
	@CsvSource({ "a=1&b=%20&c, a=1&b=%20&c", "access_token=x&a=1, a=1", "a=1&%5Fcsrf=x&b=2, a=1&b=2",
			"ACCESS_TOKEN=x, ''", "a=1&Pin=2, a=1", "a=%zz&pin=1, a=%zz", "_idempotency_key=k&a, a", "'', ''" })
	void aQueryLosesItsCredentialsAndNothingElse(String query, String kept) {
		assertThat(this.parts.query(query)).isEqualTo(kept);
	}

	@Test
	void noQueryStaysNone() {
		@Nullable String query = null;
		assertThat(this.parts.query(query)).isNull();
	}

	@Test
	void aFormLosesItsCredentialsAndKeepsItsOrder() {
		Map<String, List<String>> fields = new LinkedHashMap<>();
		List.of("b", "_csrf", "a", "access_token", "PIN", "token").forEach((name) -> fields.put(name, List.of("x")));
		assertThat(this.parts.parameters(fields).keySet()).containsExactly("b", "a", "token");
	}

	@ParameterizedTest
	@Tag("P13")
	@CsvSource(delimiter = ' ',
			value = { "{\"card\":{\"number\":1}} true", "{\"card\":{\"cvc\":null}} false",
					"{\"CARD\":{\"Cvc\":1}} false", "{\"card\":[{\"cvc\":1}]} true", "{\"lines\":[{\"pin\":1}]} false",
					"{\"lines\":[{},{\"pin\":1}]} true", "{\"card\":1,\"card\":{\"cvc\":1}} false",
					"{\"card\":1}x false", "not-json false", "[] true" })
	void aBodyIsStoredIfItIsKnownToHaveNoExcludedMember(String body, boolean stored) {
		byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
		assertThat(this.parts.allow("application/json;charset=UTF-8", bytes)).isEqualTo(stored);
		assertThat(this.parts.allow("application/vnd.cards+json", bytes)).isEqualTo(stored);
		assertThat(this.parts.allow("text/plain", bytes)).isFalse();
		assertThat(this.parts.allow(null, bytes)).isFalse();
		assertThat(this.parts.allow("text/plain", new byte[0])).isTrue();
	}

}
