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

import java.lang.reflect.Method;

import org.junit.jupiter.api.Test;

import org.springframework.context.support.GenericApplicationContext;
import org.springframework.samples.clinic.VisitService;

import static org.assertj.core.api.Assertions.assertThat;

class AnnotatedTypeTests {

	@Test
	void componentInAPackageOfSpringIsSearched() {
		assertThat(AnnotatedType.of(VisitService.class).operations()).extracting(Method::getName)
			.containsExactly("book");
	}

	@Test
	void classOfSpringHasNoOperations() {
		assertThat(AnnotatedType.of(GenericApplicationContext.class).isEmpty()).isTrue();
	}

}
