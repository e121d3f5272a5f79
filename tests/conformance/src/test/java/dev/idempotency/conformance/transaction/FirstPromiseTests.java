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
package dev.idempotency.conformance.transaction;

import java.net.URI;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effect;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The product in one test.
 */
class FirstPromiseTests {

	@Test
	void aPaymentThatIsSentThreeTimesIsMadeOnceWithTheSameAnswer() {
		try (RunningApplication application = RunningApplication.start(Payments.class)) {
			HttpResponse<byte[]> first = application.post(ALICE, "/payments", "k1", "{\"amount\":5000}");
			HttpResponse<byte[]> second = application.post(ALICE, "/payments", "k1", "{\"amount\":5000}");
			HttpResponse<byte[]> third = application.post(ALICE, "/payments", "\"k1\"", "{ \"amount\": 5000.0 }");
			assertThat(first.statusCode()).isEqualTo(201);
			assertThat(first.headers().firstValue("Idempotent-Replayed")).isEmpty();
			for (HttpResponse<byte[]> retry : List.of(second, third)) {
				assertThat(retry.statusCode()).isEqualTo(201);
				assertThat(retry.body()).isEqualTo(first.body());
				assertThat(retry.headers().firstValue("Location")).isEqualTo(first.headers().firstValue("Location"));
				assertThat(retry.headers().firstValue("Idempotent-Replayed")).contains("true");
			}
			assertThat(application.effects("payment")).isEqualTo(1);
			HttpResponse<byte[]> changed = application.post(ALICE, "/payments", "k1", "{\"amount\":5001}");
			assertThat(changed.statusCode()).isEqualTo(422);
			assertThat(application.effects("payment")).isEqualTo(1);
		}
	}

	@RestController
	static class Payments {

		private final Effects effects;

		Payments(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping("/payments")
		ResponseEntity<Map<String, Object>> pay(@RequestBody Map<String, Object> payment) {
			Effect effect = this.effects.record("payment");
			return ResponseEntity.created(URI.create("/payments/" + effect.getId()))
				.body(Map.of("id", effect.getId(), "amount", payment.getOrDefault("amount", 0)));
		}

	}

}
