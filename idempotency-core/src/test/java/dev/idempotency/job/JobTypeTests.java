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
package dev.idempotency.job;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class JobTypeTests {

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "a b", "a:b", "-a", "é", "a\n" })
	void aNameThatCouldBeReadInTwoWaysIsRefused(String name) {
		assertThatIllegalArgumentException().isThrownBy(() -> JobType.of(name, String.class))
			.withMessageContaining("such as send-receipt");
	}

	@Test
	void aNameHasAtMostAHundredCharacters() {
		assertThat(JobType.of("a".repeat(100), String.class).name()).hasSize(100);
		assertThatIllegalArgumentException().isThrownBy(() -> JobType.of("a".repeat(101), String.class));
	}

}
