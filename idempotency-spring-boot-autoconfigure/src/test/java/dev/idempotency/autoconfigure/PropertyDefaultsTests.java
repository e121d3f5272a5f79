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

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Groups of properties have their defaults twice: as constants, which cost a start
 * nothing, and as annotations, which are bound when one property of the group is set and
 * from which its documentation is made.
 */
class PropertyDefaultsTests {

	private static final Binder BINDER = new Binder(new MapConfigurationPropertySource());

	@ParameterizedTest
	@MethodSource("groups")
	void defaultsOfAGroupAreThoseOfItsAnnotations(RecordComponent group, Record defaults) {
		assertThat(defaults).as(group.toString()).isEqualTo(BINDER.bindOrCreate("group", group.getType()));
	}

	static Stream<Object[]> groups() {
		return Stream.of("IdempotencyProperties", "ExecutionProperties", "web.IdempotencyWebProperties")
			.map((name) -> (Record) BINDER.bindOrCreate("idempotency", type(name)))
			.flatMap(PropertyDefaultsTests::groups);
	}

	private static Stream<Object[]> groups(Record properties) {
		return Arrays.stream(properties.getClass().getRecordComponents())
			.filter((component) -> component.getType().isRecord())
			.map((component) -> new Object[] { component, value(properties, component) })
			.flatMap((group) -> Stream.concat(Stream.<Object[]>of(group), groups((Record) group[1])));
	}

	private static Object value(Record properties, RecordComponent component) {
		try {
			component.getAccessor().setAccessible(true);
			return component.getAccessor().invoke(properties);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static Class<?> type(String name) {
		try {
			return Class.forName(PropertyDefaultsTests.class.getPackageName() + "." + name);
		}
		catch (ClassNotFoundException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
