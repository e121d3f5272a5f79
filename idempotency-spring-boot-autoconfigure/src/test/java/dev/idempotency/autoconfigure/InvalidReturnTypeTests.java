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

import java.util.Iterator;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.diagnostics.FailureAnalysis;

import dev.idempotency.Idempotent;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The output of the failure analyzer for operations whose return value is not the value
 * itself.
 */
class InvalidReturnTypeTests {

	static Stream<Arguments> mistakes() {
		return Stream.of(
				Arguments.of(AsyncFuture.class, "returns Future, which is not the value itself", "Return the value"),
				Arguments.of(AsyncStage.class, "returns CompletableFuture, which is not the value itself",
						"Return the value"),
				Arguments.of(AsyncCallable.class, "returns Callable, which is not the value itself",
						"Return the value"),
				Arguments.of(Streaming.class, "returns Stream, which is not the value itself", "Return the value"),
				Arguments.of(Iterating.class, "returns Iterator, which is not the value itself", "Return the value"));
	}

	@ParameterizedTest
	@MethodSource("mistakes")
	void isRefusedAtStartUpWithWhatToWriteInstead(Class<?> bean, String subject, String action) {
		TestContexts.withoutDatabase().withBean(bean).run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = InvalidOperationTests.analyze(context.getStartupFailure());
			assertThat(analysis).isNotNull();
			assertThat(analysis.getDescription()).contains(subject);
			assertThat(analysis.getAction()).contains(action);
		});
	}

	static class AsyncFuture {

		@Idempotent(key = "#key")
		Future<String> run(String key) {
			return new CompletableFuture<>();
		}

	}

	static class AsyncStage {

		@Idempotent(key = "#key")
		CompletableFuture<String> run(String key) {
			return new CompletableFuture<>();
		}

	}

	static class AsyncCallable {

		@Idempotent(key = "#key")
		Callable<String> run(String key) {
			return () -> key;
		}

	}

	static class Streaming {

		@Idempotent(key = "#key")
		Stream<String> run(String key) {
			return Stream.of(key);
		}

	}

	static class Iterating {

		@Idempotent(key = "#key")
		Iterator<String> run(String key) {
			return Stream.of(key).iterator();
		}

	}

}
