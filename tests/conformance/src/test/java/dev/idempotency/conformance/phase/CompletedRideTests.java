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
package dev.idempotency.conformance.phase;

import java.net.http.HttpResponse;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.Provider;
import dev.idempotency.conformance.app.Provider.Fault;
import dev.idempotency.conformance.app.Rides;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.isReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A client that is asked to retry, and does not.
 */
class CompletedRideTests {

	@ParameterizedTest
	@EnumSource(names = { "UNAVAILABLE", "ANSWER_LOST" })
	@Tag("P4")
	void aRideWhoseProviderWasDownIsCompletedWithoutItsClient(Fault fault) {
		try (Provider provider = new Provider();
				RunningApplication application = RunningApplication.start(List.of(Rides.class),
						"provider=" + provider.address(), "idempotency.completer.after=0s",
						"idempotency.completer.interval=100ms", "idempotency.completer.max-attempts=1000")) {
			provider.failWith((key) -> fault);
			assertProblem(ride(application), 503, "interrupted");
			// It is tried, in vain, until the provider is back.
			await().until(() -> provider.keys().size() > 2);
			provider.failWith((key) -> Fault.NONE);
			await().until(() -> application.effects("ride done") == 1);
			HttpResponse<byte[]> late = ride(application);
			assertThat(late.statusCode()).isEqualTo(201);
			assertThat(isReplay(late)).isTrue();
			assertThat(provider.charges()).hasSize(1);
			assertThat(provider.keys()).containsOnly(provider.keys().get(0));
			assertThat(application.effects("ride")).isEqualTo(1);
		}
	}

	private static HttpResponse<byte[]> ride(RunningApplication application) {
		return application.post(ALICE, "/rides", "ride", Labelled.json("ride"));
	}

}
