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
package dev.idempotency.autoconfigure.jdbc;

import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.RuntimeHints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.reflection;

/**
 * The registration of the entity with Spring Boot.
 */
class EntityRegistrationTests {

	@Test
	void theMethodThatOnlyNewerSpringBootHasIsFoundInANativeImage() {
		RuntimeHints hints = new RuntimeHints();
		new IdempotencyJpaAutoConfiguration.Hints().registerHints(hints, null);
		assertThat(EntityRegistration.ADD).isNotNull();
		assertThat(reflection().onMethodInvocation(EntityRegistration.ADD)).accepts(hints);
	}

}
