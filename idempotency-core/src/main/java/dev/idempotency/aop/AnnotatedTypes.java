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

import java.util.Map;

import org.springframework.util.ClassUtils;
import org.springframework.util.ConcurrentReferenceHashMap;

/**
 * The annotated methods of the classes of beans. Each class is searched once, for the
 * aspect and its guards.
 */
public final class AnnotatedTypes {

	private final Map<Class<?>, AnnotatedType> known = new ConcurrentReferenceHashMap<>(256);

	/**
	 * Finds the annotated methods of a class.
	 * @param type the class of a bean, or of a proxy for it
	 * @return the methods
	 */
	public AnnotatedType of(Class<?> type) {
		Class<?> userType = ClassUtils.getUserClass(type);
		AnnotatedType found = this.known.get(userType);
		if (found == null) {
			found = AnnotatedType.of(userType);
			this.known.put(userType, found);
		}
		return found;
	}

}
