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

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Function;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import org.springframework.web.reactive.function.client.WebClientRequestException;

/**
 * The counterpart of {@link IdempotencyClientInterceptor} for a WebClient. The operation
 * is taken from the chain ({@link ReactiveIdempotencyKeys}), or else from the subscribing
 * thread, which with {@code block()} is the caller's thread.
 * <p>
 * A body is written once for each attempt. Values are the same each time; a publisher is
 * subscribed to again, and has to emit the same again.
 */
public final class IdempotencyExchangeFilter implements ExchangeFilterFunction {

	private final RequestKeys keys;

	private final ClientSettings.Retry retry;

	private final RetryTime time;

	private final Function<Duration, Mono<?>> delay;

	/**
	 * Creates a filter.
	 * @param settings its behaviour
	 * @param generator makes keys
	 */
	public IdempotencyExchangeFilter(ClientSettings settings, IdempotencyKeyGenerator generator) {
		this(settings, generator, RetryTime.SYSTEM, Mono::delay);
	}

	IdempotencyExchangeFilter(ClientSettings settings, IdempotencyKeyGenerator generator, RetryTime time,
			Function<Duration, Mono<?>> delay) {
		this.keys = new RequestKeys(settings, generator);
		this.retry = settings.retry();
		this.time = time;
		this.delay = delay;
	}

	@Override
	public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
		return Mono.deferContextual((context) -> {
			RequestKey key = this.keys.keyFor(request.method(), request.url(), request.headers(),
					ReactiveIdempotencyKeys.current(context));
			if (key == null) {
				return next.exchange(request);
			}
			ClientRequest keyed = ClientRequest.from(request).headers(key::addTo).build();
			return attempt(keyed, key, next, new RetrySchedule(this.retry, this.time));
		});
	}

	private Mono<ClientResponse> attempt(ClientRequest request, RequestKey key, ExchangeFunction next,
			RetrySchedule schedule) {
		Mono<ClientResponse> again = Mono.defer(() -> attempt(request, key, next, schedule));
		// The next attempt is chosen within this chain and subscribed to outside it, so
		// that its errors are not handled here.
		return next.exchange(request)
			.flatMap(IdempotencyExchangeFilter::withReadableProblem)
			.map((response) -> afterResponse(request, key, response, schedule, again))
			.onErrorResume(WebClientRequestException.class,
					(failure) -> Mono.just(afterFailure(failure, key, schedule, again)))
			.flatMap(Function.identity());
	}

	private Mono<ClientResponse> afterResponse(ClientRequest request, RequestKey key, ReadableResponse readable,
			RetrySchedule schedule, Mono<ClientResponse> again) {
		ClientResponse response = readable.response();
		int status = response.statusCode().value();
		HttpHeaders headers = response.headers().asHttpHeaders();
		if (!key.isRetryable(status, headers, readable.problem())) {
			return Mono.just(response);
		}
		Duration pause = schedule.next(headers);
		if (pause != null) {
			return released(response).then(after(pause, again));
		}
		return key.isConflict(status) ? released(response).then(Mono.error(stillInProgress(request, key)))
				: Mono.just(response);
	}

	private static Mono<Void> released(ClientResponse response) {
		return response.releaseBody().onErrorComplete();
	}

	private static WebClientRequestException stillInProgress(ClientRequest request, RequestKey key) {
		return new WebClientRequestException(key.stillInProgress(), request.method(), request.url(), request.headers());
	}

	private Mono<ClientResponse> afterFailure(WebClientRequestException failure, RequestKey key, RetrySchedule schedule,
			Mono<ClientResponse> again) {
		key.unanswered();
		Duration pause = schedule.next();
		return (pause != null) ? after(pause, again) : Mono.error(failure);
	}

	private Mono<ClientResponse> after(Duration pause, Mono<ClientResponse> again) {
		return this.delay.apply(pause).then(again);
	}

	private static Mono<ReadableResponse> withReadableProblem(ClientResponse response) {
		if (!RequestKey.isProblem(response.statusCode().value(), response.headers().asHttpHeaders())) {
			return Mono.just(new ReadableResponse(response, ""));
		}
		return response.bodyToMono(byte[].class).defaultIfEmpty(new byte[0]).map((body) -> {
			ClientResponse readAgain = response.mutate()
				.body((read) -> Flux.just(DefaultDataBufferFactory.sharedInstance.wrap(body)))
				.build();
			return new ReadableResponse(readAgain, new String(body, StandardCharsets.UTF_8));
		});
	}

	/**
	 * A response, with the problem in its body if the body was read.
	 *
	 * @param response the response
	 * @param problem the problem, or an empty string
	 */
	private record ReadableResponse(ClientResponse response, String problem) {
	}

}
