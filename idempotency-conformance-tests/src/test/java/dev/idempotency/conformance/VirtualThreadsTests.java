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
package dev.idempotency.conformance;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Exchanges;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.RunningApplication;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.Exchanges.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Virtual threads, with and without open-in-view; without them run all other tests. On a
 * JVM without virtual threads the setting has no effect, and must do no harm.
 */
class VirtualThreadsTests {

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	@Tag("O6")
	void theFirstPromiseHoldsOnVirtualThreads(boolean openInView) {
		try (RunningApplication application = RunningApplication.start(Payments.class,
				"spring.threads.virtual.enabled=true", "spring.jpa.open-in-view=" + openInView)) {
			List<HttpResponse<byte[]>> responses = Parallel.run(20, () -> pay(application));
			assertThat(application.effects("o6")).isEqualTo(1);
			List<HttpResponse<byte[]>> created = responses.stream().filter((r) -> r.statusCode() == 201).toList();
			assertThat(created).filteredOn((response) -> !Exchanges.isReplay(response)).hasSize(1);
			assertThat(responses).filteredOn((response) -> response.statusCode() != 201)
				.allSatisfy((response) -> assertProblem(response, 409, "in-progress"));
			assertReplay(pay(application), created.get(0));
			boolean ranOnVirtualThread = Runtime.version().feature() >= 21;
			assertThat(text(created.get(0))).contains("\"virtual\":" + ranOnVirtualThread);
		}
	}

	private static HttpResponse<byte[]> pay(RunningApplication application) {
		return application.post(ALICE, "/payments", "o6", Labelled.json("o6"));
	}

	@RestController
	static class Payments {

		private final Effects effects;

		Payments(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping("/payments")
		@ResponseStatus(HttpStatus.CREATED)
		Map<String, Object> pay(@RequestBody Labelled payment) {
			return Map.of("id", this.effects.record(payment.label()).getId(), "virtual",
					Thread.currentThread().getThreadGroup().getName().equals("VirtualThreads"));
		}

	}

}
