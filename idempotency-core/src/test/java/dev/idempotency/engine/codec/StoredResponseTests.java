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
package dev.idempotency.engine.codec;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;

import dev.idempotency.engine.codec.StoredResponse.Body;
import dev.idempotency.engine.codec.StoredResponse.HeaderField;
import dev.idempotency.engine.codec.StoredResponse.Writing;
import dev.idempotency.engine.codec.StoredResponse.Writing.Ending;
import dev.idempotency.exception.NotReplayableException;
import dev.idempotency.store.EncodedResponse;
import dev.idempotency.store.Identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class StoredResponseTests {

	private static final Identity IDENTITY = new Identity(new byte[32], new byte[16]);

	private static final byte[] FINGERPRINT = new byte[33];

	private static final ContentCodec CODEC = new ContentCodec("app", EnvelopeCodec.plain(null));

	private EncodedResponse encode(StoredResponse answer) {
		return answer.encode(IDENTITY, FINGERPRINT, Duration.ofDays(1), CODEC);
	}

	private StoredResponse decode(EncodedResponse stored) {
		return StoredResponse.decode(IDENTITY, FINGERPRINT, stored, CODEC);
	}

	@Test
	void statusHeadersAndBodyComeBackInOrder() {
		StoredResponse answer = new StoredResponse(201,
				List.of(new HeaderField("Link", "<a>; rel=next, <b>", true), new HeaderField("Link", "<c>", true),
						new HeaderField("X-Empty", "", false), new HeaderField("X-Umlaut", "\u00e4\u20ac", false),
						new HeaderField("X-Removed", null, false)),
				Body.of(new byte[] { 0, 1, (byte) 0xff }), new Writing(true, "UTF-8", Ending.CLOSED, true, true, true));
		StoredResponse read = decode(encode(answer));
		assertThat(read.status()).isEqualTo(201);
		assertThat(read.headers()).isEqualTo(answer.headers());
		assertThat(read.content()).isEqualTo(answer.content());
		assertThat(read.writing()).isEqualTo(answer.writing());
	}

	@Test
	void anEmptyBodyIsReplayableAndNoBodyIsNot() {
		EncodedResponse empty = encode(new StoredResponse(204, List.of(), new byte[0]));
		assertThat(decode(empty).content()).isNotNull();
		assertThat(decode(empty).writing()).isEqualTo(Writing.NONE);
		EncodedResponse none = encode(new StoredResponse(200, List.of(), null));
		assertThat(none.content()).isNull();
		assertThatExceptionOfType(NotReplayableException.class).isThrownBy(() -> decode(none));
	}

	@Test
	void whatWasCutOffOrIsOfAnotherVersionIsNotReplayable() {
		EncodedResponse stored = encode(
				new StoredResponse(200, List.of(new HeaderField("A", "b", false)), new byte[0]));
		byte[] content = stored.content();
		for (int length = 1; length < content.length; length++) {
			EncodedResponse cut = new EncodedResponse(200, Arrays.copyOf(content, length));
			assertThatExceptionOfType(NotReplayableException.class).isThrownBy(() -> decode(cut));
		}
		content[1] = 2;
		assertThatExceptionOfType(NotReplayableException.class)
			.isThrownBy(() -> decode(new EncodedResponse(200, content)));
	}

}
