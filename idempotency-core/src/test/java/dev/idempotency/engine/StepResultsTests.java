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
package dev.idempotency.engine;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;

import javax.crypto.spec.SecretKeySpec;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import dev.idempotency.Idempotent.Mode;
import dev.idempotency.engine.codec.ContentCipher;
import dev.idempotency.engine.codec.ContentCodec;
import dev.idempotency.engine.codec.EnvelopeCodec;

import static org.assertj.core.api.Assertions.assertThat;

class StepResultsTests {

	private static final StepResults RESULTS = new StepResults(
			Map.of("charged", "\"ch_readable\"".getBytes(StandardCharsets.UTF_8)), Set.of());

	private final ClaimRequest call = TestEngine.call(1, Mode.LEASED, ClaimRequest.EffectCommits.IN_PHASES);

	@Test
	@Tag("Y6")
	void theCodecOfTheApplicationEncryptsThem() {
		ContentCodec codec = new ContentCodec("app",
				EnvelopeCodec.encrypting(new ContentCipher(Map.of("k", new SecretKeySpec(new byte[32], "AES")), "k")));
		byte[] stored = RESULTS.encode(this.call, codec);
		assertThat(new String(stored, StandardCharsets.ISO_8859_1)).doesNotContain("charged", "readable");
		StepResults read = StepResults.decode(this.call.identity(), this.call.fingerprint().bytes(), stored, codec);
		assertThat(read.results().get("charged")).isEqualTo(RESULTS.results().get("charged"));
	}

}
