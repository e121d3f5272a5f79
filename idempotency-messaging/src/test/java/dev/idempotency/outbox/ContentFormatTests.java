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

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import javax.crypto.spec.SecretKeySpec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.gson.JsonPrimitive;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

import dev.idempotency.codec.ResponseCodec;
import dev.idempotency.engine.codec.ContentCipher;
import dev.idempotency.engine.codec.ContentCodec;
import dev.idempotency.engine.codec.EnvelopeCodec;
import dev.idempotency.exception.NotReplayableException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Events of the outbox as they are stored.
 */
class ContentFormatTests {

	private static final OutboxMessage MESSAGE = OutboxMessage.to("rides", "readable-payload")
		.withHeader("readable-header", "value");

	private static ContentFormat format(ResponseCodec codec) {
		return format("app", codec);
	}

	private static ContentFormat format(String namespace, ResponseCodec codec) {
		return new ContentFormat(JsonMapper.shared(), new ContentCodec(namespace, codec), namespace);
	}

	private static ContentFormat encrypting() {
		return encrypting("app");
	}

	private static ContentFormat encrypting(String namespace) {
		return format(namespace,
				EnvelopeCodec.encrypting(new ContentCipher(Map.of("k", new SecretKeySpec(new byte[32], "AES")), "k")));
	}

	@Test
	@Tag("Y6")
	void anEventIsReadAsItWasWrittenAndIsUnreadableWhereTheCodecEncrypts() {
		byte[] stored = write(encrypting(), MESSAGE);
		assertThat(new String(stored, StandardCharsets.ISO_8859_1)).doesNotContain("readable");
		OutgoingEvent read = encrypting().read(claimed("1", "rides", stored));
		assertThat(new String(read.payload(), StandardCharsets.UTF_8)).contains("readable-payload");
		assertThat(read.headers()).containsEntry("readable-header", "value");
	}

	@Test
	@Tag("S17")
	@Tag("Y10")
	void anEventThatNobodyEncryptedOrThatWasMovedIsRefused() {
		byte[] planted = write(format(EnvelopeCodec.plain(null)), MESSAGE);
		byte[] stored = write(encrypting(), MESSAGE);
		assertNotRead("1", "rides", planted);
		assertNotRead("2", "rides", stored);
		assertNotRead("1", "refunds", stored);
		assertNotRead("1", "rides", write(encrypting("other"), MESSAGE));
	}

	@Test
	@Tag("M8")
	void aJsonTreeOfAnotherLibraryIsRefusedAnywhereInAPayload() {
		Object tree = new ObjectMapper().createObjectNode().put("fare", 7);
		for (Object payload : List.of(tree, Map.of("nested", tree), new Wrapper(tree), new JsonPrimitive("gson"))) {
			assertThatIllegalArgumentException()
				.isThrownBy(() -> write(format(EnvelopeCodec.plain(null)), OutboxMessage.to("rides", payload)))
				.withMessageContaining("is a tree of another JSON library");
		}
	}

	@Test
	void aJsonTreeIsWrittenByTheSerializerOfTheApplication() {
		JsonMapper own = JsonMapper.builder()
			.addModule(new SimpleModule().addSerializer(JsonNode.class, new OwnSerializer()))
			.build();
		byte[] stored = write(new ContentFormat(own, new ContentCodec("app", EnvelopeCodec.plain(null)), "app"),
				OutboxMessage.to("rides", new ObjectMapper().createObjectNode().put("fare", 7)));
		assertThat(new String(stored, StandardCharsets.UTF_8)).contains("fare");
	}

	private static byte[] write(ContentFormat format, OutboxMessage message) {
		return format.write(format.event("1", message.withType("RideBooked"), Instant.EPOCH));
	}

	record Wrapper(Object tree) {
	}

	private static final class OwnSerializer extends ValueSerializer<JsonNode> {

		@Override
		public void serialize(JsonNode value, JsonGenerator generator, SerializationContext context) {
			generator.writeRawValue(value.toString());
		}

	}

	private static void assertNotRead(String id, String destination, byte[] stored) {
		assertThatExceptionOfType(NotReplayableException.class)
			.isThrownBy(() -> encrypting().read(claimed(id, destination, stored)));
	}

	private static ClaimedEvent claimed(String id, String destination, byte[] stored) {
		return new ClaimedEvent(1, id, destination, null, "RideBooked", stored, Instant.EPOCH, Duration.ZERO, 0);
	}

}
