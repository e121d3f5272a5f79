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

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.IdempotencyRequest;
import dev.idempotency.Idempotent;
import dev.idempotency.account.Account;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.phase.PhaseOperations;
import dev.idempotency.phase.Phases;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.store.memory.InMemoryTransactionManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An application whose own store implements {@link IdempotencyStore} alone.
 */
class StoreWithoutLeasesTests {

	private static final IdempotencyRequest REQUEST = IdempotencyRequest.of("pay", "some-key")
		.withAccount(Account.of("alice"));

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withConfiguration(TestContexts.LIBRARY)
		.withConfiguration(
				AutoConfigurations.of(JacksonAutoConfiguration.class, HttpMessageConvertersAutoConfiguration.class,
						DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class))
		.withBean(IdempotencyStore.class, StoreWithoutLeasesTests::store)
		.withBean(PlatformTransactionManager.class, InMemoryTransactionManager::new)
		.withPropertyValues("spring.application.name=test");

	@Test
	void runsOperationsInOneTransaction() {
		this.runner.withBean(Transactional.class).run((context) -> {
			IdempotencyOperations operations = context.getBean(IdempotencyOperations.class);
			AtomicInteger runs = new AtomicInteger();
			assertThat(operations.execute(REQUEST, Integer.class, runs::incrementAndGet)).isEqualTo(1);
			assertThat(operations.execute(REQUEST, Integer.class, runs::incrementAndGet)).isEqualTo(1);
			assertThat(runs).hasValue(1);
		});
	}

	@Test
	void anEndpointInModeLeasedStopsTheStart() {
		this.runner.withBean(Leased.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidIdempotentException.class,
						(failure) -> assertRefused(failure, "@Idempotent on POST /leased")));
	}

	@Test
	void anEndpointInPhasesStopsTheStart() {
		this.runner.withBean(Phased.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidIdempotentException.class,
						(failure) -> assertRefused(failure, "@Idempotent on POST /phased")));
	}

	@Test
	void refusesWorkInPhasesOfAService() {
		this.runner.withBean(Transactional.class)
			.run((context) -> assertThatExceptionOfType(InvalidIdempotentException.class).isThrownBy(
					() -> context.getBean(PhaseOperations.class).execute(REQUEST, String.class, (phases) -> "never"))
				.satisfies((failure) -> assertRefused(failure, "pay")));
	}

	private static void assertRefused(InvalidIdempotentException failure, String subject) {
		assertThat(failure.getSubject()).startsWith(subject).contains("does not support leases");
		assertThat(failure.getAction()).contains("LeaseStore");
	}

	private static IdempotencyStore store() {
		IdempotencyStore store = new InMemoryIdempotencyStore("test", InstantSource.system());
		return (IdempotencyStore) Proxy.newProxyInstance(StoreWithoutLeasesTests.class.getClassLoader(),
				new Class<?>[] { IdempotencyStore.class }, (proxy, method, arguments) -> {
					try {
						return method.invoke(store, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	@RestController
	static class Transactional {

		@PostMapping("/payments")
		@Idempotent
		String pay() {
			return "paid";
		}

	}

	@RestController
	static class Leased {

		@PostMapping("/leased")
		@Idempotent(mode = Idempotent.Mode.LEASED)
		String pay() {
			return "paid";
		}

	}

	@RestController
	static class Phased {

		@PostMapping("/phased")
		@Idempotent
		String pay(Phases phases) {
			return "paid";
		}

	}

}
