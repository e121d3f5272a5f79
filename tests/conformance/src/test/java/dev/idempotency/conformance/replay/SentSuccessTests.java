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
package dev.idempotency.conformance.replay;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.MediaType;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;
import org.springframework.test.web.servlet.request.MockMvcRequestBuilders;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.context.WebApplicationContext;

import dev.idempotency.OutcomePolicy;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.Leftovers;
import dev.idempotency.conformance.app.Responses;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.conformance.app.Wire;

import static dev.idempotency.conformance.app.Responses.assertOriginal;
import static dev.idempotency.conformance.app.Responses.assertReplay;
import static dev.idempotency.conformance.app.Responses.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Successes that the error page writes: the client was told one, so it is one.
 */
@Tag("postgresql")
class SentSuccessTests {

	private static RunningApplication application;

	private final String label = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		application = RunningApplication.start(List.of(SentSuccesses.class, Policy.class),
				"spring.web.error.include-message=always");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	private HttpResponse<byte[]> post(String path) {
		return post(path, "application/json");
	}

	private HttpResponse<byte[]> post(String path, String accept) {
		return application.send(application.json(ALICE, path, Labelled.json(this.label))
			.header("Idempotency-Key", this.label)
			.header("Accept", accept));
	}

	@ParameterizedTest
	@ValueSource(strings = { "/send/201", "/send/202", "/send/204", "/send/302", "/send/304", "/leased/201",
			"/leased/303", "/leased-transactional/202", "/phased/201", "/leased-future/202" })
	@Tag("R11")
	void aSuccessThatIsSentAsAnErrorIsCommittedAndReplayedAsItWasOnTheWire(String path) {
		int status = Integer.parseInt(path.substring(path.lastIndexOf('/') + 1));
		HttpResponse<byte[]> first = post(path);
		assertOriginal(first, status);
		assertThat(application.effects(this.label)).isEqualTo(1);
		HttpResponse<byte[]> retry = post(path);
		assertReplay(retry, first);
		assertThat(Wire.of(retry)).isEqualTo(Wire.of(first));
		assertThat(application.effects(this.label)).isEqualTo(1);
		Leftovers.assertNone(application);
	}

	@Test
	@Tag("R11")
	void aReasonBesideASuccessIsOnTheWireAsWithoutTheLibrary() {
		HttpResponse<byte[]> unprotected = post("/plain-reason");
		HttpResponse<byte[]> first = post("/reason");
		assertOriginal(first, 201);
		assertThat(application.effects(this.label)).isEqualTo(2);
		assertThat(withoutTime(first)).isEqualTo(withoutTime(unprotected).replace("/plain-reason", "/reason"));
		assertThat(text(first)).contains("\"message\":\"made\"", "\"path\":\"/reason\"");
		assertThat(first.headers().allValues("X-Kept")).containsExactly("kept");
		assertReplay(post("/reason"), first);
		assertThat(application.effects(this.label)).isEqualTo(2);
	}

	@Test
	@Tag("R11")
	void aPageForPeopleIsReplayedToo() {
		HttpResponse<byte[]> first = post("/reason", "text/html");
		assertOriginal(first, 201);
		assertThat(text(first)).contains("<html>", "made");
		assertReplay(post("/reason", "text/html"), first);
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	@Test
	@Tag("R11")
	void aSuccessThatCannotBeCommittedIsNotSent() {
		assertOriginal(post("/rollback-only/201"), 500);
		assertOriginal(post("/rollback-only/201"), 500);
		assertThat(application.effects(this.label)).isZero();
		Leftovers.assertNone(application);
	}

	@Test
	@Tag("R11")
	void aSuccessIsStoredWhateverThePolicySays() {
		HttpResponse<byte[]> first = post("/status/206");
		assertOriginal(first, 206);
		assertReplay(post("/status/206"), first);
		assertThat(application.effects(this.label)).isEqualTo(1);
		assertThat(application.context().getBean(Policy.class).asked).doesNotContain(206);
	}

	/**
	 * MockMvc has no container, and no error dispatch.
	 */
	@Test
	@Tag("R11")
	void aSuccessThatIsSentAsAnErrorIsCommittedAndReplayedInMockMvcToo() throws Exception {
		MockMvc mvc = MockMvcBuilders.webAppContextSetup((WebApplicationContext) application.context()).build();
		SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken(ALICE, "", "ROLE_USER"));
		try {
			MockHttpServletResponse first = mvc.perform(send201()).andReturn().getResponse();
			assertThat(first.getStatus()).isEqualTo(201);
			assertThat(first.getContentAsString()).contains("\"message\":\"told\"");
			MockHttpServletResponse retry = mvc.perform(send201()).andReturn().getResponse();
			assertThat(retry.getStatus()).isEqualTo(201);
			assertThat(retry.getContentAsString()).isEqualTo(first.getContentAsString());
			assertThat(retry.getHeader(Responses.MARKER)).isEqualTo("true");
			assertThat(application.effects(this.label)).isEqualTo(1);
		}
		finally {
			SecurityContextHolder.clearContext();
		}
	}

	private MockHttpServletRequestBuilder send201() {
		return MockMvcRequestBuilders.post("/send/201")
			.header("Idempotency-Key", this.label)
			.contentType(MediaType.APPLICATION_JSON)
			.content(Labelled.json(this.label));
	}

	private static String withoutTime(HttpResponse<byte[]> response) {
		return text(response).replaceAll("\"timestamp\":\"[^\"]*\"", "");
	}

	/**
	 * A policy that knows too much.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Policy {

		private final Queue<Integer> asked = new ConcurrentLinkedQueue<>();

		@Bean
		OutcomePolicy outcomePolicy() {
			return (outcome) -> {
				this.asked.add(outcome.status());
				return outcome.status() != 206 && outcome.status() < 500;
			};
		}

	}

}
