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
package dev.idempotency.test.app;

import java.net.URI;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Required;
import dev.idempotency.client.IdempotencyClientInterceptor;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.context.annotation.Bean;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Endpoints that are right, and some with the faults that tests are to find.
 */
@RestController
@RequestMapping("/orders")
class OrderController {

	private final Orders orders;

	private final RestClient client;

	OrderController(Orders orders, IdempotencyClientInterceptor interceptor) {
		this.orders = orders;
		// Nobody listens there
		this.client = RestClient.builder().baseUrl("http://localhost:1").requestInterceptor(interceptor).build();
	}

	/**
	 * A correct handler.
	 */
	@Idempotent
	@PostMapping
	ResponseEntity<Map<String, Object>> create(@RequestBody Map<String, Object> order) {
		return ResponseEntity.created(URI.create("/orders/" + this.orders.ship()))
			.body(Map.of("id", UUID.randomUUID(), "item", order.getOrDefault("item", "none")));
	}

	/**
	 * A correct handler that needs no key.
	 */
	@Idempotent(required = Required.FALSE)
	@PostMapping("/optional")
	Map<String, Object> createWithOptionalKey() {
		return Map.of("id", this.orders.ship());
	}

	/**
	 * The same, with a key from the body.
	 */
	@Idempotent(key = "#order['reference']", required = Required.FALSE)
	@PostMapping("/referenced")
	Map<String, Object> createWithReference(@RequestBody Map<String, Object> order) {
		return Map.of("id", this.orders.ship());
	}

	/**
	 * A correct asynchronous handler.
	 */
	@Idempotent(mode = Mode.LEASED)
	@PostMapping("/async")
	CompletableFuture<Map<String, Object>> createLater() {
		return CompletableFuture.supplyAsync(() -> Map.of("id", this.orders.ship()));
	}

	/**
	 * A correct handler with files and fields.
	 */
	@Idempotent
	@PostMapping("/import")
	Map<String, Object> read(@RequestParam MultipartFile file, @RequestParam String sheet) {
		return Map.of("id", this.orders.ship(), "size", file.getSize(), "sheet", sheet);
	}

	/**
	 * Fails, and is rolled back.
	 */
	@Idempotent
	@PostMapping("/failing")
	void fail() {
		this.orders.ship();
		throw new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE);
	}

	/**
	 * The annotation was forgotten.
	 */
	@PostMapping("/unprotected")
	ResponseEntity<Map<String, Object>> createUnprotected(HttpServletResponse response) {
		response.setHeader("Order-Number", UUID.randomUUID().toString());
		return ResponseEntity.ok(Map.of("id", this.orders.ship()));
	}

	/**
	 * The annotation was forgotten, and the answer does not show it.
	 */
	@PostMapping("/silent")
	Map<String, Object> createSilently() {
		this.orders.ship();
		return Map.of("status", "accepted");
	}

	/**
	 * A correct handler with an interceptor that is not: see below.
	 */
	@Idempotent
	@PostMapping("/audited")
	Map<String, Object> createAudited() {
		return Map.of("id", this.orders.ship());
	}

	/**
	 * Asks another system, within the transaction.
	 */
	@Idempotent
	@PostMapping("/calling")
	void call() {
		this.client.post().uri("/charges").retrieve().toBodilessEntity();
	}

	/**
	 * Counts each delivery, which no replay prevents.
	 */
	@Bean
	static WebMvcConfigurer audit(Orders orders) {
		HandlerInterceptor interceptor = new HandlerInterceptor() {

			@Override
			public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
				orders.see();
				return true;
			}

		};
		return new WebMvcConfigurer() {

			@Override
			public void addInterceptors(InterceptorRegistry registry) {
				registry.addInterceptor(interceptor).addPathPatterns("/orders/audited");
			}

		};
	}

}
