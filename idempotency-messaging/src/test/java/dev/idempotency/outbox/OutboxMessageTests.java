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
package dev.idempotency.outbox;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class OutboxMessageTests {

	private static final OutboxMessage EVENT = OutboxMessage.to("rides", new Booked());

	/** 255 bytes in UTF-8. */
	private static final String LONGEST = "é".repeat(127) + "e";

	private static final String TOO_LONG = "é".repeat(128);

	@Test
	@Tag("M2")
	void whatNoBrokerSendsIsRefusedBeforeItIsPublished() {
		assertThatIllegalArgumentException().isThrownBy(() -> EVENT.withId(TOO_LONG))
			.withMessageContaining("The id of an event has 256 bytes");
		assertThatIllegalArgumentException().isThrownBy(() -> EVENT.withType(TOO_LONG))
			.withMessageContaining("The type of an event");
		assertThatIllegalArgumentException().isThrownBy(() -> EVENT.withKey(TOO_LONG))
			.withMessageContaining("The key of an event");
		assertThatIllegalArgumentException().isThrownBy(() -> OutboxMessage.to(TOO_LONG, "payload"))
			.withMessageContaining("The destination of an event");
		assertThatIllegalArgumentException().isThrownBy(() -> EVENT.withHeader(TOO_LONG, "value"))
			.withMessageContaining("The name of a header");
		assertThatIllegalArgumentException().isThrownBy(() -> EVENT.withHeader("large", "x".repeat(140_000)))
			.withMessageContaining("The headers of an event have 140005 bytes")
			.withMessageContaining("Write up to 65536 bytes");
	}

	@Test
	void whatEveryBrokerSendsIsAccepted() {
		OutboxMessage longest = OutboxMessage.to(LONGEST, "payload")
			.withKey(LONGEST)
			.withType(LONGEST)
			.withId(LONGEST)
			.withHeader("a", "x".repeat(32_000))
			.withHeader("b", "x".repeat(33_000));
		assertThat(longest.typeName()).isEqualTo(LONGEST);
	}

	@Test
	void theTypeIsTheNameOfAClassOfTheApplicationOrTheGivenOne() {
		assertThat(EVENT.typeName()).isEqualTo("Booked");
		assertThat(EVENT.withType("ride-booked").typeName()).isEqualTo("ride-booked");
		assertThat(OutboxMessage.to("rides", Map.of()).withType("ride-booked").typeName()).isEqualTo("ride-booked");
	}

	static Stream<Arguments> payloadsWithoutAName() {
		Object proxy = Proxy.newProxyInstance(OutboxMessageTests.class.getClassLoader(),
				new Class<?>[] { Runnable.class }, (self, method, arguments) -> null);
		Runnable lambda = () -> {
		};
		Object anonymous = new Booked() {
		};
		return Stream
			.of(Map.of("a", 1), List.of(1), "text", new byte[0], new Booked[0], UUID.randomUUID(), anonymous, lambda,
					proxy, JsonMapper.shared().createObjectNode())
			.map((payload) -> Arguments.of(payload));
	}

	@ParameterizedTest
	@MethodSource("payloadsWithoutAName")
	@Tag("M8")
	void aTypeThatTheClassDoesNotGiveIsAskedFor(Object payload) {
		assertThatIllegalArgumentException().isThrownBy(() -> OutboxMessage.to("rides", payload).typeName())
			.withMessageContaining("has no type")
			.withMessageContaining("withType(");
	}

	static class Booked {

	}

}
