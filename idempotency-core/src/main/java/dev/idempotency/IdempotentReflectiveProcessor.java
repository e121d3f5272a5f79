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
package dev.idempotency;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.annotation.SimpleReflectiveProcessor;

/**
 * Registers reflection hints for {@link Idempotent} methods in a native image: the
 * method, the types of its arguments, which make key and fingerprint, and its return
 * value, which is stored as JSON.
 */
final class IdempotentReflectiveProcessor extends SimpleReflectiveProcessor {

	private final BindingReflectionHintsRegistrar binding = new BindingReflectionHintsRegistrar();

	@Override
	protected void registerTypeHint(ReflectionHints hints, Class<?> type) {
		for (Method method : type.getDeclaredMethods()) {
			if (Modifier.isPublic(method.getModifiers()) && !method.isSynthetic()) {
				registerMethodHint(hints, method);
			}
		}
	}

	@Override
	protected void registerMethodHint(ReflectionHints hints, Method method) {
		super.registerMethodHint(hints, method);
		this.binding.registerReflectionHints(hints, method.getGenericParameterTypes());
		this.binding.registerReflectionHints(hints, method.getGenericReturnType());
	}

}
