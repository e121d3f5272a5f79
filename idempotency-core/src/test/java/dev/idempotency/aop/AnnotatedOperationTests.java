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
package dev.idempotency.aop;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.IdempotencyRequest;
import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Replay;
import dev.idempotency.Idempotent.Scope;
import dev.idempotency.IdempotentOperation;

import static org.assertj.core.api.Assertions.assertThatException;

class AnnotatedOperationTests {

	private static final IdempotencyOperations OPERATIONS = new IdempotencyOperations() {

		@Override
		public <T> @Nullable T execute(IdempotencyRequest request, Class<T> type,
				Supplier<? extends @Nullable T> work) {
			return work.get();
		}

		@Override
		public @Nullable Object execute(IdempotencyRequest request, Type type,
				Supplier<? extends @Nullable Object> work) {
			return work.get();
		}

	};

	@Idempotent(key = "#p0")
	Object send(String key) {
		return key;
	}

	@Test
	void aCheckedExceptionOfTheMethodReachesItsCallerAsItIs() throws Exception {
		Method method = getClass().getDeclaredMethod("send", String.class);
		AnnotatedOperation operation = new AnnotatedOperation(
				new IdempotentOperation("send", null, Scope.ACCOUNT, "", Duration.ofHours(1), Duration.ofHours(1), true,
						Mode.TRANSACTIONAL, Replay.FULL),
				method.getAnnotation(Idempotent.class), null, method, getClass());
		IOException failure = new IOException();
		assertThatException()
			.isThrownBy(() -> operation.execute(OPERATIONS, IdempotencyRequest.of("send", "key"), () -> {
				throw failure;
			}))
			.isSameAs(failure);
	}

}
