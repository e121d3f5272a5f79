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
package dev.idempotency.engine;

import org.junit.jupiter.api.Test;

import dev.idempotency.exception.SenderRefusedException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The part of a failure that is stored for operators.
 */
class ErrorNamesTests {

	@Test
	void noFailureHasNoNames() {
		assertThat(ErrorNames.of(null)).isNull();
	}

	@Test
	void namesAreThoseOfTheFailureAndItsNextFourCauses() {
		Throwable failure = new Error("first cause");
		for (int i = 0; i < 9; i++) {
			failure = new IllegalStateException("a secret", failure);
		}
		String name = IllegalStateException.class.getName();
		assertThat(ErrorNames.of(failure)).isEqualTo(String.join(" < ", name, name, name, name, name));
	}

	@Test
	void onlyTheReasonOfARefusedSenderIsQuoted() {
		assertThat(
				ErrorNames.of(new IllegalStateException("a secret", new SenderRefusedException("The user is gone."))))
			.isEqualTo("java.lang.IllegalStateException < " + SenderRefusedException.class.getName()
					+ ": The user is gone.");
	}

}
