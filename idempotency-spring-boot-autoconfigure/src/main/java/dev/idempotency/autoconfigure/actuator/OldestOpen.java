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
package dev.idempotency.autoconfigure.actuator;

import org.jspecify.annotations.Nullable;

import dev.idempotency.store.OperatorStore.Overview;

/**
 * The oldest request without an answer.
 *
 * @param ageSeconds its age in seconds
 * @param operation the operation's name
 */
record OldestOpen(long ageSeconds, String operation) {

	static @Nullable OldestOpen of(Overview overview) {
		Overview.Oldest oldest = overview.oldest();
		return (oldest != null) ? new OldestOpen(oldest.age().toSeconds(), oldest.operation()) : null;
	}

}
