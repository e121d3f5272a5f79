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
package dev.idempotency.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.HttpMethod;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientResponseException;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

import dev.idempotency.testsupport.ScriptedServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class IdempotencyClientInterceptorTests extends ScriptedClient {

	@Test
	void requestsWithOtherMethodsAreLeftAlone() {
		this.server.reply(503);
		assertThatExceptionOfType(HttpServerErrorException.class)
			.isThrownBy(() -> this.client.get().uri("/charges").retrieve().toBodilessEntity());
		this.client.delete().uri("/charges/1").retrieve().toBodilessEntity();
		assertThat(this.server.keys()).containsExactly(null, null);
	}

	@Test
	void aLostAnswerIsAskedForAgainWithTheSameKeyAndTheSameBytes() {
		this.server.loseAnswer().loseAnswer();
		assertThat(charge()).isEqualTo("done");
		assertOneKey(3);
		assertThat(this.server.received()).extracting(ScriptedServer.Received::body).containsOnly("50 usd");
	}

	@Test
	void anErrorThatStaysIsTheCallers() {
		this.server.loseAnswer().loseAnswer().loseAnswer().loseAnswer();
		assertThatExceptionOfType(ResourceAccessException.class).isThrownBy(this::charge)
			.withCauseInstanceOf(IOException.class);
		assertOneKey(4);
	}

	@ParameterizedTest
	@ValueSource(ints = { 425, 429, 502, 503, 504 })
	void answersThatDecideNothingAreTriedAgain(int status) {
		this.server.reply(status);
		assertThat(charge()).isEqualTo("done");
		assertOneKey(2);
	}

	@ParameterizedTest
	@ValueSource(ints = { 400, 401, 402, 403, 404, 408, 410, 422, 500, 501 })
	void otherAnswersAreFinal(int status) {
		this.server.reply(status, "Retry-After", "0");
		assertThatExceptionOfType(RestClientResponseException.class).isThrownBy(this::charge)
			.satisfies((answer) -> assertThat(answer.getStatusCode().value()).isEqualTo(status));
		assertOneKey(1);
	}

	@Test
	void aRequestThatIsInProgressIsAskedForAgain() {
		this.server.reply(409, "Retry-After", "2").problem(409, "in-progress");
		assertThat(charge()).isEqualTo("done");
		assertOneKey(3);
		assertThat(this.time.pauses()).containsExactly(Duration.ofSeconds(2), Duration.ZERO);
	}

	@Test
	void anotherConflictIsFinalAndCanStillBeRead() {
		this.server.problem(409, "not-replayable");
		assertThatExceptionOfType(HttpClientErrorException.Conflict.class).isThrownBy(this::charge)
			.satisfies((conflict) -> assertThat(conflict.getResponseBodyAsString()).contains("not-replayable"));
		assertOneKey(1);
	}

	@Test
	void aConflictWithAnUnreadableProblemIsFinal() {
		this.server.reply(409, "Content-Type", "application/problem+json");
		assertThatExceptionOfType(HttpClientErrorException.Conflict.class).isThrownBy(this::charge);
		assertOneKey(1);
	}

	/**
	 * As from a provider that has no header and no type for a key in use.
	 */
	@Test
	@Tag("M10")
	void aConflictAfterAnAttemptWithoutAnAnswerIsAboutThatAttempt() {
		this.server.loseAnswer().reply(409).reply(409);
		assertThat(charge()).isEqualTo("done");
		assertOneKey(4);
	}

	@ParameterizedTest
	@ValueSource(ints = { 502, 503, 504 })
	@Tag("M10")
	void aConflictAfterTheAnswerOfAGatewayIsAboutThatAttempt(int status) {
		this.server.reply(status).reply(409);
		assertThat(charge()).isEqualTo("done");
		assertOneKey(3);
	}

	@Test
	@Tag("M10")
	void aConflictWithAnAttemptWithoutAnAnswerIsNeverTheOutcome() {
		this.server.loseAnswer().reply(409).problem(409, "in-progress").reply(409, "Retry-After", "1");
		assertThatExceptionOfType(ResourceAccessException.class).isThrownBy(this::charge)
			.withCauseInstanceOf(IOException.class)
			.withMessageContaining("may still be processing");
		assertOneKey(4);
	}

	@Test
	@Tag("M10")
	void aConflictIsAboutAnAttemptOfAnEarlierRequestOfTheOperation() {
		RestClient once = client(Settings.with(Settings.NO_RETRY), (builder) -> {
		});
		this.server.loseAnswer().reply(409);
		IdempotencyKeys.operation(() -> {
			for (int attempt = 0; attempt < 2; attempt++) {
				assertThatExceptionOfType(ResourceAccessException.class).isThrownBy(() -> charge(once, "/charges"));
			}
			assertThat(charge(once, "/charges")).isEqualTo("done");
		});
		assertOneKey(3);
	}

	@Test
	@Tag("M10")
	void aConflictThatIsMarkedAsAReplayIsFinal() {
		this.server.loseAnswer().reply(409, "Idempotent-Replayed", "true");
		assertThatExceptionOfType(HttpClientErrorException.Conflict.class).isThrownBy(this::charge);
		assertOneKey(2);
	}

	@Test
	void aConflictThatIsTheFirstAnswerIsFinal() {
		this.server.reply(409);
		assertThatExceptionOfType(HttpClientErrorException.Conflict.class).isThrownBy(this::charge);
		assertOneKey(1);
	}

	/**
	 * The clock of this client is months behind that of the server.
	 */
	@Test
	@Tag("M10")
	void aDateInRetryAfterIsReadAgainstTheClockOfTheServer() {
		String date = DateTimeFormatter.RFC_1123_DATE_TIME.format(OffsetDateTime.now(ZoneOffset.UTC).plusHours(1));
		this.server.reply(503, "Retry-After", date);
		RestClient patient = client(Settings
			.with(new ClientSettings.Retry(2, Duration.ofMillis(200), Duration.ofSeconds(10), Duration.ofHours(2))),
				(builder) -> {
				});
		assertThat(charge(patient, "/charges")).isEqualTo("done");
		assertThat(this.time.pauses()).singleElement()
			.satisfies((pause) -> assertThat(pause).isBetween(Duration.ofMinutes(50), Duration.ofMinutes(60)));
	}

	@Test
	void anAnswerThatAsksForMoreTimeThanThereIsGoesToTheCallerAtOnce() {
		this.server.reply(503, "Retry-After", "30");
		assertThatExceptionOfType(HttpServerErrorException.ServiceUnavailable.class).isThrownBy(this::charge);
		assertOneKey(1);
		assertThat(this.time.pauses()).isEmpty();
	}

	@Test
	void theAnswersThatAreThrownAwayAreClosedAndTheLastIsNotUntilItIsRead() {
		AtomicInteger open = new AtomicInteger();
		AtomicInteger opened = new AtomicInteger();
		RestClient counting = client(Settings.with(Settings.RETRY),
				(builder) -> builder.requestInterceptor(new CountingOpen(open, opened)));
		this.server.reply(503).problem(409, "in-progress").reply(429);
		assertThat(charge(counting, "/charges")).isEqualTo("done");
		assertThat(opened).hasValue(4);
		assertThat(open).hasValue(0);
	}

	@Test
	void retriesCanBeSwitchedOff() {
		this.server.reply(503);
		RestClient once = client(Settings.with(Settings.NO_RETRY), (builder) -> {
		});
		assertThatExceptionOfType(HttpServerErrorException.ServiceUnavailable.class)
			.isThrownBy(() -> charge(once, "/charges"));
		assertOneKey(1);
	}

	@Test
	void anInterruptEndsTheRetriesAndIsNotForgotten() {
		this.server.reply(503).reply(503);
		RetryTime interrupting = new SimulatedTime(0) {

			@Override
			public boolean pause(Duration duration) {
				Thread.currentThread().interrupt();
				return RetryTime.SYSTEM.pause(duration);
			}

		};
		RestClient waiting = RestClient.builder()
			.baseUrl(this.server.address())
			.requestFactory(new SimpleClientHttpRequestFactory())
			.requestInterceptor(
					new IdempotencyClientInterceptor(Settings.with(Settings.RETRY), () -> "key", interrupting))
			.build();
		assertThatExceptionOfType(ResourceAccessException.class).isThrownBy(() -> charge(waiting, "/charges"))
			.havingCause()
			.isInstanceOf(InterruptedIOException.class);
		assertThat(Thread.interrupted()).isTrue();
		assertOneKey(1);
	}

	@Test
	void restTemplatesDoTheSame() {
		RestTemplate template = new RestTemplate(new JdkClientHttpRequestFactory());
		template.getInterceptors().add(interceptor(Settings.with(Settings.RETRY)));
		this.server.loseAnswer().reply(503);
		assertThat(template.postForObject(this.server.address() + "/charges", "50 usd", String.class))
			.isEqualTo("done");
		assertOneKey(3);
	}

	@Test
	void httpServiceInterfacesDoTheSame() {
		Charges charges = HttpServiceProxyFactory.builderFor(RestClientAdapter.create(this.client))
			.build()
			.createClient(Charges.class);
		this.server.loseAnswer().reply(503);
		assertThat(charges.charge("50 usd")).isEqualTo("done");
		assertOneKey(3);
	}

	@Test
	void aStreamedBodyIsReadOnceAndSentAgain() {
		this.server.loseAnswer();
		this.client.method(HttpMethod.POST)
			.uri("/charges")
			.body((out) -> out.write("streamed".getBytes()))
			.retrieve()
			.toBodilessEntity();
		assertThat(this.server.received()).extracting(ScriptedServer.Received::body)
			.containsExactly("streamed", "streamed");
	}

	interface Charges {

		@PostExchange("/charges")
		String charge(@RequestBody String amount);

	}

	/**
	 * Counts the responses that were not closed.
	 */
	private record CountingOpen(AtomicInteger open, AtomicInteger opened) implements ClientHttpRequestInterceptor {

		@Override
		public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
				throws IOException {
			ClientHttpResponse response = execution.execute(request, body);
			this.open.incrementAndGet();
			this.opened.incrementAndGet();
			AtomicBoolean closed = new AtomicBoolean();
			return (ClientHttpResponse) Proxy.newProxyInstance(getClass().getClassLoader(),
					new Class<?>[] { ClientHttpResponse.class }, (proxy, method, arguments) -> {
						if (method.getName().equals("close") && closed.compareAndSet(false, true)) {
							this.open.decrementAndGet();
						}
						return method.invoke(response, arguments);
					});
		}

	}

}
