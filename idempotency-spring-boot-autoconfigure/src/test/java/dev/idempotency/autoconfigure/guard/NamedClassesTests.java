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
package dev.idempotency.autoconfigure.guard;

import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Classes that the guard names and does not import: one that was renamed would be taken
 * for one that is never there.
 */
class NamedClassesTests {

	static Stream<String> names() {
		return Stream
			.of(LibraryBeans.ENTRIES.stream(), MissingEngine.LEADING_TO_THE_ENGINE.stream(),
					MissingModules.FEATURES.stream().map(MissingModules.Feature::className))
			.flatMap((names) -> names);
	}

	@ParameterizedTest
	@MethodSource("names")
	void namedClassExists(String name) {
		assertThat(ClassUtils.isPresent(name, getClass().getClassLoader())).isTrue();
	}

	/**
	 * Beans of a configuration that is not known as the library's would be made before
	 * the library is used.
	 */
	@Test
	void everyConfigurationOfTheLibraryIsKnownAsItsOwn() {
		ClassPathScanningCandidateComponentProvider scanner = new ClassPathScanningCandidateComponentProvider(false);
		scanner.addIncludeFilter(new AnnotationTypeFilter(Configuration.class));
		assertThat(scanner.findCandidateComponents("dev.idempotency")).extracting(BeanDefinition::getBeanClassName)
			.filteredOn((name) -> !isOfTests(name))
			.contains("dev.idempotency.web.RequestPathConfiguration",
					"dev.idempotency.autoconfigure.IdempotencyAutoConfiguration")
			.allMatch(LibraryBeans::isOwn);
	}

	private static boolean isOfTests(String className) {
		return className.contains("Test") || className.startsWith("dev.idempotency.test");
	}

}
