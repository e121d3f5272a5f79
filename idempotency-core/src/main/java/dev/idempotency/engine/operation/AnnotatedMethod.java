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
package dev.idempotency.engine.operation;

import java.lang.reflect.Method;
import java.util.Arrays;

/**
 * A method to which {@link dev.idempotency.Idempotent} applies.
 *
 * @param name the name of its operation unless the annotation has an id; it stands in
 * tables, and survives a change of the parameters
 * @param signature class, method and parameter types, which distinguish two methods of
 * one name
 * @param where class and method, for messages
 */
public record AnnotatedMethod(String name, String signature, String where) {

	/**
	 * Describes a method whose operation is named after class and method.
	 * @param method the method
	 * @param type the class of its bean
	 * @return the method
	 */
	public static AnnotatedMethod of(Method method, Class<?> type) {
		String name = type.getName() + "#" + method.getName();
		return new AnnotatedMethod(name, name + Arrays.toString(method.getParameterTypes()),
				type.getSimpleName() + "#" + method.getName());
	}

	/**
	 * Returns this method with another name of its operation.
	 * @param other the name
	 * @param place class and method as messages have them
	 * @return the method
	 */
	public AnnotatedMethod withName(String other, String place) {
		return new AnnotatedMethod(other, this.signature, place);
	}

}
