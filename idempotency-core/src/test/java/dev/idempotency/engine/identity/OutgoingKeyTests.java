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

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The key that an operation sends to other systems.
 */
class OutgoingKeyTests {

	private static String take(OutgoingKey key, String system, String request) {
		return key.take(system, request, () -> "generated");
	}

	@Test
	void aGivenKeyIsSentAndAnUnmadeOneIsGeneratedOnce() {
		assertThat(take(OutgoingKey.of("given"), "bank", "POST /charges")).isEqualTo("given");
		OutgoingKey unmade = OutgoingKey.unmade();
		assertThat(unmade.take("bank", "POST /charges", () -> "first")).isEqualTo("first");
		assertThat(unmade.take("bank", "POST /charges", () -> "second")).isEqualTo("first");
	}

	@Test
	void aKeyIsForOneRequestToEachSystem() {
		OutgoingKey key = OutgoingKey.of("key");
		assertThat(take(key, "bank", "POST /charges")).isEqualTo(take(key, "bank", "POST /charges"));
		assertThat(take(key, "shop", "POST /orders")).isEqualTo("key");
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> take(key, "bank", "POST /refunds?token=secret"))
			.withMessageContaining("'POST /refunds?…' and 'POST /charges' at bank are two requests")
			.withMessageNotContaining("secret");
	}

	@Test
	void aPartHasAKeyOfItsName() {
		OutgoingKey key = OutgoingKey.of("key");
		String left = take(key.part("left"), "bank", "POST /charges");
		assertThat(left).isNotEqualTo("key").isEqualTo(take(key.part("left"), "bank", "POST /charges"));
		assertThat(take(key.part("right"), "bank", "POST /charges")).isNotEqualTo(left);
		assertThat(take(OutgoingKey.of("other").part("left"), "bank", "POST /charges")).isNotEqualTo(left);
	}

	@Test
	void anUnansweredSystemIsRemembered() {
		OutgoingKey key = OutgoingKey.of("key");
		key.unanswered("bank");
		assertThat(key.isUnanswered("bank")).isTrue();
		assertThat(key.isUnanswered("shop")).isFalse();
	}

	@Test
	void theKeyForASystemDoesNotRevealTheOperations() {
		assertThat(OutgoingKey.derived("key", "bank")).isEqualTo(OutgoingKey.derived("key", "bank"))
			.isNotEqualTo(OutgoingKey.derived("key", "shop"))
			.doesNotContain("key");
	}

	@Test
	void theKeyOfAThreadEndsWithItsWork() {
		OutgoingKey outer = OutgoingKey.of("outer");
		OutgoingKey inner = OutgoingKey.of("inner");
		List<@Nullable OutgoingKey> seen = new ArrayList<>();
		outer.run(() -> {
			inner.run(() -> seen.add(OutgoingKey.current()));
			seen.add(OutgoingKey.current());
		});
		seen.add(OutgoingKey.current());
		assertThat(seen).containsExactly(inner, outer, null);
	}

}
