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
package dev.idempotency.web;

import java.lang.reflect.Array;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Objects whose methods return nothing, for wrappers that override the methods in use.
 */
final class Defaults {

	private Defaults() {
	}

	static <T> T of(Class<T> type) {
		return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
				(proxy, method, arguments) -> nothing(method.getReturnType())));
	}

	private static @Nullable Object nothing(Class<?> type) {
		if (type.isPrimitive() && type != void.class) {
			// The elements of a new array have the default of their type.
			return Array.get(Array.newInstance(type, 1), 0);
		}
		if (type == Enumeration.class) {
			return Collections.emptyEnumeration();
		}
		if (type == Map.class) {
			return Map.of();
		}
		return (type == Collection.class) ? List.of() : null;
	}

}
