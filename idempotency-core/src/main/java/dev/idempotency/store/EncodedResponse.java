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
package dev.idempotency.store;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * A response as the store holds it.
 *
 * @param status the HTTP status, 0 for the return value of a bean
 * @param content headers and body, serialised and encoded by the codec; {@code null} if
 * the response cannot be replayed
 */
public record EncodedResponse(int status, byte @Nullable [] content) {

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof EncodedResponse response && this.status == response.status
				&& Arrays.equals(this.content, response.content);
	}

	@Override
	public int hashCode() {
		return 31 * this.status + Arrays.hashCode(this.content);
	}

}
