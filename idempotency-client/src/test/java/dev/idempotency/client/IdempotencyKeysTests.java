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

import java.util.HashSet;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.TaskDecorator;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.web.client.RestClient;

import dev.idempotency.engine.RequestTransactions;
import dev.idempotency.engine.identity.OutgoingKey;
import dev.idempotency.testsupport.ScriptedServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class IdempotencyKeysTests {

	private final ScriptedServer server = new ScriptedServer();

	@AfterEach
	void stop() {
		this.server.close();
	}

	private static @Nullable String current() {
		OutgoingKey key = OutgoingKey.current();
		return (key != null) ? key.take("system", "request", () -> "generated") : null;
	}

	@Test
	void outsideOfAnOperationThereIsNoKey() {
		assertThat(current()).isNull();
		assertThat(IdempotencyKeys.operation("a", IdempotencyKeysTests::current)).isEqualTo("a");
		assertThat(current()).isNull();
	}

	@Test
	void aGivenKeyIsTheInnermostAndTheOuterOneComesBack() {
		IdempotencyKeys.operation("outer", () -> {
			IdempotencyKeys.operation("inner", () -> assertThat(current()).isEqualTo("inner"));
			assertThat(current()).isEqualTo("outer");
		});
	}

	@Test
	void anOperationInsideOfAnotherBelongsToIt() {
		IdempotencyKeys.operation("outer",
				() -> IdempotencyKeys.operation(() -> assertThat(current()).isEqualTo("outer")));
	}

	@Test
	void theKeyIsGoneAfterAFailure() {
		assertThatIllegalStateException().isThrownBy(() -> IdempotencyKeys.operation(() -> {
			throw new IllegalStateException("failed");
		}));
		assertThat(current()).isNull();
	}

	@Test
	void aPartOfNothingIsRefused() {
		assertThatIllegalStateException().isThrownBy(() -> IdempotencyKeys.part("mail", () -> {
		})).withMessageContaining("The part 'mail' is outside an operation");
	}

	@Test
	void partsOfAGeneratedKeyAreStableToo() {
		IdempotencyKeys.operation(() -> {
			String first = IdempotencyKeys.part("mail", IdempotencyKeysTests::current);
			assertThat(IdempotencyKeys.part("mail", IdempotencyKeysTests::current)).isEqualTo(first);
			assertThat(IdempotencyKeys.part("letter", IdempotencyKeysTests::current)).isNotEqualTo(first);
			assertThat(current()).isEqualTo("generated");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "a b", "a\r\nX: y", "ä", "\t" })
	void aKeyThatNoHeaderCanCarryIsRefusedAndNotShown(String key) {
		assertThatIllegalArgumentException().isThrownBy(() -> IdempotencyKeys.operation(key, () -> {
		})).withMessage("An idempotency key is 1 to 255 visible ASCII characters");
		assertThatIllegalArgumentException().isThrownBy(() -> IdempotencyKeys.operation("x".repeat(256), () -> {
		}));
	}

	@Test
	void theOperationGoesAlongToTheThreadsOfDecoratedExecutors() {
		TaskDecorator decorator = new RequestTransactions(() -> {
			throw new IllegalStateException("No transaction is ended");
		}, (resource) -> {
		});
		CompletableFuture<@Nullable String> key = new CompletableFuture<>();
		Runnable task = IdempotencyKeys.operation("order-42", () -> decorator.decorate(() -> key.complete(current())));
		CompletableFuture.runAsync(task).join();
		assertThat(key.join()).isEqualTo("order-42");
	}

	@Test
	void aRetryableMethodHasOneKeyOverAllItsAttempts() {
		new ApplicationContextRunner().withUserConfiguration(Resilience.class)
			.withBean(Payments.class, () -> new Payments(this.server.address()))
			.run((context) -> {
				this.server.reply(503).loseAnswer();
				Payments payments = context.getBean(Payments.class);
				assertThat(IdempotencyKeys.operation(payments::charge)).isEqualTo("done");
				assertThat(this.server.keys()).hasSize(3);
				assertThat(new HashSet<>(this.server.keys())).hasSize(1);
			});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods
	static class Resilience {

	}

	/**
	 * A service whose client does not retry.
	 */
	static class Payments {

		private final RestClient client;

		Payments(String address) {
			this.client = RestClient.builder()
				.baseUrl(address)
				.requestInterceptor(new IdempotencyClientInterceptor(Settings.with(Settings.NO_RETRY),
						IdempotencyKeyGenerator.timeOrdered()))
				.build();
		}

		@Retryable(maxRetries = 2, delay = 0)
		String charge() {
			return this.client.post().uri("/charges").retrieve().requiredBody(String.class);
		}

	}

}
