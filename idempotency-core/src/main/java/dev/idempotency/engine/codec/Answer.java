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
package dev.idempotency.engine.codec;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The answer of a protected operation.
 *
 * @param status the HTTP status, 0 for the return value of a bean
 * @param headers the header lines to replay, in order
 * @param body the body, or {@code null} when the answer cannot be replayed
 */
public record Answer(int status, List<HeaderField> headers, byte @Nullable [] body) {

	/**
	 * Returns whether the answer can be given again.
	 * @return whether there is a body, an empty one included
	 */
	public boolean isReplayable() {
		return this.body != null;
	}

	/**
	 * One header line of an answer.
	 *
	 * @param name the name as it was written
	 * @param value the value
	 * @param added whether it was added to lines of the same name instead of replacing
	 * them
	 */
	public record HeaderField(String name, String value, boolean added) {
	}

}
