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
package dev.idempotency.messaging;

import java.util.List;

import dev.idempotency.aop.AnnotatedOperation;

/**
 * An endpoint with annotated methods.
 *
 * @param type the class of the bean
 * @param operations its annotated methods
 * @param name the part of its scope that does not depend on a message
 */
record ProtectedListener(Class<?> type, List<AnnotatedOperation> operations, String name) {

	/**
	 * Returns the scope in which the id of a message identifies one message: two consumer
	 * groups, or two queues, process it once each.
	 * @param broker the kind of broker
	 * @param group the consumer group or the queue
	 * @return a name without ambiguity
	 */
	String scope(String broker, String group) {
		return broker + ":" + group.length() + ":" + group + ":" + this.name;
	}

}
