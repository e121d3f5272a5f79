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
package dev.idempotency.web;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JsonPointer;

import org.springframework.mock.web.MockHttpServletRequest;

import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.web.endpoint.SensitiveNames;
import dev.idempotency.web.fingerprint.FingerprintSource.Bytes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link HandlerRequest} where no container counts. With one, see
 * {@code FilteredTwinsTests}.
 */
class HandlerRequestTests {

	private static final HandlerRequest.Settings SETTINGS = new HandlerRequest.Settings(1024,
			new CommandParts(Set.of(), List.of(JsonPointer.compile("/card/cvc")), Set.of("pin")),
			new SensitiveNames(Set.of(), Set.of("jsessionid")), (request) -> -1);

	private final MockHttpServletRequest request = new MockHttpServletRequest("POST", "/payments");

	@Test
	@Tag("F18")
	void withoutACountTheAnnouncedLengthTellsADrainedBody() throws IOException {
		this.request.setContent("text".getBytes(StandardCharsets.UTF_8));
		assertThat(((Bytes) content().body()).content()).asString(StandardCharsets.UTF_8).isEqualTo("text");
		this.request.setContent("text".getBytes(StandardCharsets.UTF_8));
		this.request.getInputStream().readAllBytes();
		assertRefused();
	}

	@Test
	@Tag("F18")
	void withoutACountAndALengthNothingIsOnlyKnownToBeEmptyIfHttp1SaysSo() {
		assertThat(((Bytes) content().body()).content()).isEmpty();
		this.request.addHeader("Transfer-Encoding", "chunked");
		assertRefused();
		this.request.removeHeader("Transfer-Encoding");
		this.request.setProtocol("HTTP/2.0");
		assertRefused();
	}

	@Test
	@Tag("F19")
	void theStoredRequestHasTheParametersThatTheHandlerGets() {
		HttpCommand command = Objects.requireNonNull(new HandlerRequest(new HttpServletRequestWrapper(this.request) {

			@Override
			public Map<String, String[]> getParameterMap() {
				return Map.of("owner", new String[] { "alice" }, "pin", new String[] { "1" });
			}

		}, SETTINGS, InvalidIdempotentException::new).content().command());
		assertThat(HttpCommand.fromBytes(command.toBytes()).parameters()).isEqualTo(Map.of("owner", List.of("alice")));
	}

	@Test
	@Tag("F19")
	void aRequestWhoseParametersCannotBeReadIsNotRepeatedWithoutItsSender() {
		assertThat(new HandlerRequest(refusing(), SETTINGS, InvalidIdempotentException::new).content().command())
			.isNull();
		this.request.setContentType("application/x-www-form-urlencoded");
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(new HandlerRequest(refusing(), SETTINGS, InvalidIdempotentException::new)::content);
	}

	@Test
	@Tag("Y11")
	void aFormThatIsReadAsBytesIsNotRepeatedWithoutItsSender() {
		this.request.setContentType("application/x-www-form-urlencoded");
		this.request.setContent("pin=1".getBytes(StandardCharsets.UTF_8));
		assertThat(content().command()).isNull();
	}

	private HttpServletRequest refusing() {
		return new HttpServletRequestWrapper(this.request) {

			@Override
			public Map<String, String[]> getParameterMap() {
				throw new IllegalArgumentException("refused");
			}

		};
	}

	private RequestContent content() {
		return new HandlerRequest(this.request, SETTINGS, InvalidIdempotentException::new).content();
	}

	private void assertRefused() {
		assertThatExceptionOfType(InvalidIdempotentException.class).isThrownBy(this::content)
			.withMessageContaining("got a request whose body a filter has consumed");
	}

}
