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

import java.net.http.HttpClient;
import java.time.Duration;
import java.util.HashSet;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.http.HttpStatus;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientRequestException;
import org.springframework.web.reactive.function.client.WebClientResponseException;
import org.springframework.web.reactive.function.client.support.WebClientAdapter;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

import dev.idempotency.engine.identity.OutgoingKey;
import dev.idempotency.testsupport.ScriptedServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class IdempotencyExchangeFilterTests {

	private final ScriptedServer server = new ScriptedServer();

	private final SimulatedTime time = new SimulatedTime(0);

	private final WebClient client = client(Settings.RETRY);

	@AfterEach
	void stop() {
		this.server.close();
	}

	private WebClient client(ClientSettings.Retry retry) {
		return WebClient.builder()
			.baseUrl(this.server.address())
			.clientConnector(
					new JdkClientHttpConnector(HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()))
			.filter(new IdempotencyExchangeFilter(Settings.with(retry), IdempotencyKeyGenerator.timeOrdered(),
					this.time, this.time::delay))
			.build();
	}

	private static Mono<String> charge(WebClient client, String path) {
		return client.post().uri(path).bodyValue("50 usd").retrieve().bodyToMono(String.class);
	}

	private void assertOneKey(int deliveries) {
		assertThat(this.server.keys()).hasSize(deliveries).doesNotContainNull();
		assertThat(new HashSet<>(this.server.keys())).hasSize(1);
	}

	@Test
	void aLostAnswerIsAskedForAgainWithTheSameKeyAndTheSameBody() {
		this.server.loseAnswer().reply(503, "Retry-After", "3").problem(409, "in-progress");
		assertThat(charge(this.client, "/charges").block()).isEqualTo("done");
		assertOneKey(4);
		assertThat(this.server.received()).extracting(ScriptedServer.Received::body).containsOnly("50 usd");
		assertThat(this.time.pauses()).containsExactly(Duration.ZERO, Duration.ofSeconds(3), Duration.ZERO);
	}

	@Test
	void theAnswersThatAreThrownAwayAreReleased() {
		AtomicInteger released = new AtomicInteger();
		WebClient watched = this.client.mutate()
			.filter((request, next) -> next.exchange(request)
				.map((response) -> response.mutate()
					.body((body) -> body.doOnTerminate(released::incrementAndGet))
					.build()))
			.build();
		this.server.reply(503).problem(409, "in-progress").reply(429);
		Mono<?> answer = watched.post().uri("/charges").exchangeToMono((response) -> {
			assertThat(released).as("all but the last").hasValue(3);
			return response.releaseBody().thenReturn(response.statusCode());
		});
		assertThat(answer.block()).isEqualTo(HttpStatus.OK);
	}

	@Test
	void eachSubscriptionIsAnOperationOfItsOwn() {
		Mono<String> charge = charge(this.client, "/charges");
		charge.block();
		charge.block();
		assertThat(new HashSet<>(this.server.keys())).hasSize(2);
	}

	@Test
	void anErrorThatStaysIsTheCallers() {
		this.server.loseAnswer().loseAnswer().loseAnswer().loseAnswer();
		assertThatExceptionOfType(WebClientRequestException.class)
			.isThrownBy(() -> charge(this.client, "/charges").block());
		assertOneKey(4);
	}

	@ParameterizedTest
	@ValueSource(ints = { 400, 402, 422, 500 })
	void otherAnswersAreFinal(int status) {
		this.server.reply(status, "Retry-After", "0");
		assertThatExceptionOfType(WebClientResponseException.class)
			.isThrownBy(() -> charge(this.client, "/charges").block())
			.satisfies((answer) -> assertThat(answer.getStatusCode().value()).isEqualTo(status));
		assertOneKey(1);
	}

	@Test
	void anotherConflictIsFinalAndCanStillBeRead() {
		this.server.problem(409, "not-replayable");
		assertThatExceptionOfType(WebClientResponseException.Conflict.class)
			.isThrownBy(() -> charge(this.client, "/charges").block())
			.satisfies((conflict) -> assertThat(conflict.getResponseBodyAsString()).contains("not-replayable"));
		assertOneKey(1);
	}

	@Test
	@Tag("M10")
	void aConflictAfterAnAttemptWithoutAnAnswerIsAboutThatAttempt() {
		this.server.loseAnswer().reply(409).problem(409, "key-in-use");
		assertThat(charge(this.client, "/charges").block()).isEqualTo("done");
		assertOneKey(4);
	}

	@Test
	@Tag("M10")
	void aConflictWithAnAttemptWithoutAnAnswerIsNeverTheOutcome() {
		this.server.reply(504).reply(409).reply(409).reply(409);
		assertThatExceptionOfType(WebClientRequestException.class)
			.isThrownBy(() -> charge(this.client, "/charges").block())
			.withMessageContaining("may still be processing");
		assertOneKey(4);
	}

	@Test
	@Tag("M10")
	void aConflictIsAboutAnAttemptOfAnEarlierRequestOfTheOperation() {
		WebClient once = client(Settings.NO_RETRY);
		this.server.loseAnswer().reply(409);
		assertThat(charge(once, "/charges").retry(2).transform(ReactiveIdempotencyKeys::operation).block())
			.isEqualTo("done");
		assertOneKey(3);
	}

	@Test
	void requestsWithOtherMethodsAreLeftAlone() {
		this.server.reply(503);
		assertThatExceptionOfType(WebClientResponseException.ServiceUnavailable.class)
			.isThrownBy(() -> this.client.get().uri("/charges").retrieve().toBodilessEntity().block());
		assertThat(this.server.keys()).containsExactly((String) null);
	}

	@Test
	void anOperationOfAChainHasOneKeyOverItsOwnRetriesOnAnyThread() {
		this.server.reply(503).loseAnswer();
		WebClient once = client(Settings.NO_RETRY);
		Mono<String> charge = charge(once, "/charges").publishOn(Schedulers.boundedElastic())
			.onErrorResume((failure) -> Mono.<String>error(failure).subscribeOn(Schedulers.parallel()))
			.retry(2)
			.transform(ReactiveIdempotencyKeys::operation);
		assertThat(charge.block()).isEqualTo("done");
		assertOneKey(3);
		charge.block();
		assertThat(new HashSet<>(this.server.keys())).as("another operation").hasSize(2);
	}

	@Test
	void theOperationOfTheThreadThatWaitsIsTheChains() {
		IdempotencyKeys.operation("order-42", () -> charge(this.client, "/charges").block());
		ReactiveIdempotencyKeys.operation("order-43", charge(this.client, "/charges")).block();
		assertThat(this.server.keys()).containsExactly(derived("order-42"), derived("order-43"));
	}

	private String derived(String key) {
		return OutgoingKey.derived(key, this.server.address());
	}

	@Test
	void partsHaveKeysOfTheirOwnAndTwoRequestsAreRefused() {
		Mono<String> mail = ReactiveIdempotencyKeys.part("mail", charge(this.client, "/mails"));
		Mono<String> charge = charge(this.client, "/charges");
		ReactiveIdempotencyKeys.operation("order-42", mail.then(charge)).block();
		assertThat(this.server.keys()).hasSize(2).doesNotHaveDuplicates().endsWith(derived("order-42"));
		assertThatIllegalStateException().isThrownBy(mail::block).withMessageContaining("is outside an operation");
		assertThatIllegalStateException().isThrownBy(
				() -> ReactiveIdempotencyKeys.operation("x", charge.then(charge(this.client, "/mails"))).block());
	}

	@Test
	void httpServiceInterfacesDoTheSame() {
		Charges charges = HttpServiceProxyFactory.builderFor(WebClientAdapter.create(this.client))
			.build()
			.createClient(Charges.class);
		this.server.loseAnswer();
		assertThat(charges.charge()).isEqualTo("done");
		assertOneKey(2);
	}

	interface Charges {

		@PostExchange("/charges")
		String charge();

	}

}
