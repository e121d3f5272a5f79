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
package dev.idempotency.sample;

import java.net.http.HttpClient;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import dev.idempotency.test.IdempotencyRequestInterceptor;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.TestComponent;
import org.springframework.context.annotation.Lazy;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.test.web.servlet.client.EntityExchangeResult;
import org.springframework.test.web.servlet.client.RestTestClient;

/**
 * A client of the running sample that follows no redirects. Tests with
 * {@link dev.idempotency.test.DeliverTwice} send each of their requests twice with it.
 */
@Lazy
@TestComponent
class SampleClient {

	private final RestTestClient client;

	SampleClient(@Value("${local.server.port}") int port, IdempotencyRequestInterceptor duplicates) {
		this.client = RestTestClient
			.bindToServer(new JdkClientHttpRequestFactory(
					HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NEVER).build()))
			.baseUrl("http://localhost:" + port)
			.requestInterceptor(duplicates)
			.build();
	}

	static String newKey() {
		return UUID.randomUUID().toString();
	}

	RestTestClient.RequestBodySpec request(String user, HttpMethod method, String path) {
		return this.client.method(method).uri(path).headers((headers) -> headers.setBasicAuth(user, user));
	}

	RestTestClient.RequestBodySpec anonymous(HttpMethod method, String path) {
		return this.client.method(method).uri(path);
	}

	RestTestClient.ResponseSpec post(String user, String path, String key, String json) {
		return request(user, HttpMethod.POST, path).header("Idempotency-Key", key)
			.contentType(MediaType.APPLICATION_JSON)
			.body(json)
			.exchange();
	}

	RestTestClient.ResponseSpec postForm(String user, String path, String form) {
		return request(user, HttpMethod.POST, path).contentType(MediaType.APPLICATION_FORM_URLENCODED)
			.body(form)
			.exchange();
	}

	RestTestClient.ResponseSpec get(String user, String path) {
		return request(user, HttpMethod.GET, path).exchange();
	}

	static StoredResponse answer(RestTestClient.ResponseSpec response) {
		EntityExchangeResult<String> result = response.returnResult(String.class);
		HttpHeaders headers = result.getResponseHeaders();
		String body = result.getResponseBody();
		return new StoredResponse(result.getStatus().value(), (body != null) ? body : "",
				headers.getFirst(HttpHeaders.LOCATION), headers.getFirst("Idempotent-Replayed") != null);
	}

	/**
	 * Sends all requests at the same time.
	 */
	static List<StoredResponse> race(List<Supplier<RestTestClient.ResponseSpec>> requests) throws Exception {
		CyclicBarrier start = new CyclicBarrier(requests.size());
		ExecutorService threads = Executors.newFixedThreadPool(requests.size());
		try {
			List<Callable<StoredResponse>> deliveries = requests.stream()
				.<Callable<StoredResponse>>map((request) -> () -> {
					start.await(30, TimeUnit.SECONDS);
					return answer(request.get());
				})
				.toList();
			List<StoredResponse> answers = new ArrayList<>();
			for (Future<StoredResponse> delivery : threads.invokeAll(deliveries, 60, TimeUnit.SECONDS)) {
				answers.add(delivery.get());
			}
			return answers;
		}
		finally {
			threads.shutdownNow();
		}
	}

	/**
	 * Does all of it with a number of threads.
	 */
	static List<StoredResponse> inParallel(int threadCount, List<Supplier<StoredResponse>> exchanges) throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(threadCount);
		try {
			List<Future<StoredResponse>> running = exchanges.stream()
				.map((exchange) -> threads.submit(exchange::get))
				.toList();
			List<StoredResponse> answers = new ArrayList<>();
			for (Future<StoredResponse> exchange : running) {
				answers.add(exchange.get());
			}
			return answers;
		}
		finally {
			threads.shutdownNow();
		}
	}

	/**
	 * A received answer.
	 *
	 * @param status the status
	 * @param body the body
	 * @param location the Location header
	 * @param replayed whether it is marked as a replay
	 */
	record StoredResponse(int status, String body, String location, boolean replayed) {

		StoredResponse asReplay() {
			return new StoredResponse(this.status, this.body, this.location, true);
		}

	}

}
