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
package dev.idempotency.autoconfigure;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.core.codec.DecodingException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.web.client.RestClientException;
import org.springframework.web.client.RestClientResponseException;
import org.springframework.web.reactive.function.client.WebClientRequestException;
import org.springframework.web.reactive.function.client.WebClientResponseException;

import dev.idempotency.phase.TransientFailurePolicy;

import static org.assertj.core.api.Assertions.assertThat;

class DefaultTransientFailurePolicyTests {

	private final TransientFailurePolicy policy = new DefaultTransientFailurePolicy();

	@ParameterizedTest
	@CsvSource({ "408, true", "409, true", "425, true", "429, true", "500, true", "503, true", "599, true",
			"400, false", "402, false", "404, false", "422, false", "301, false" })
	void allOfSpringsClientsAreJudgedByTheStatus(int status, boolean isTransient) {
		RestClientResponseException blocking = new RestClientResponseException("", status, "", null, null, null);
		WebClientResponseException reactive = WebClientResponseException.create(status, "", HttpHeaders.EMPTY,
				new byte[0], StandardCharsets.UTF_8);
		assertThat(this.policy.isTransient(blocking)).isEqualTo(isTransient);
		assertThat(this.policy.isTransient(reactive)).isEqualTo(isTransient);
		assertThat(this.policy.isTransient(new ExecutionException(reactive))).isEqualTo(isTransient);
	}

	@Test
	void aResponseThatCannotBeReadIsNoRejection() {
		assertThat(this.policy.isTransient(new RestClientException("Error while extracting response"))).isTrue();
		assertThat(this.policy.isTransient(new IllegalStateException(new DecodingException("not JSON")))).isTrue();
		assertThat(this.policy.isTransient(new IllegalStateException("declined"))).isFalse();
	}

	@Test
	void brokenConnectionsAndTimeOutsWillPassWhereverTheyAre() {
		assertThat(this.policy.isTransient(new IllegalStateException(new IOException()))).isTrue();
		assertThat(this.policy.isTransient(new TimeoutException())).isTrue();
		assertThat(this.policy.isTransient(new WebClientRequestException(new IOException(), HttpMethod.POST,
				URI.create("http://localhost"), HttpHeaders.EMPTY)))
			.isTrue();
		assertThat(this.policy.isTransient(new IllegalStateException())).isFalse();
	}

}
