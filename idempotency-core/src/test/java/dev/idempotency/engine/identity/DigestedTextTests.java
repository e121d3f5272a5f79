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
package dev.idempotency.engine.identity;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("S12")
class DigestedTextTests {

	@Test
	void textIsUtf8() {
		for (String text : List.of("", "bob", "böb", "€", "\ud83d\ude00", "a\ud83d\ude00b?")) {
			assertThat(DigestKeys.bytes(text)).isEqualTo(text.getBytes(StandardCharsets.UTF_8));
		}
	}

	@Test
	void textsThatUtf8CannotTellApartAreDifferent() {
		List<String> texts = List.of("bob?", "bob\ud800", "bob\ud801", "bob\udc00", "bob\ud800?", "bob?\ud800",
				"\ud800bob", "bob\udc00\ud800", "bob\ud800\udc00", "bob\ud800\ud800", "bob\udc00\udc00");
		Set<String> encoded = new HashSet<>();
		texts.forEach((text) -> encoded.add(new String(DigestKeys.bytes(text), StandardCharsets.ISO_8859_1)));
		assertThat(encoded).hasSameSizeAs(texts);
	}

}
