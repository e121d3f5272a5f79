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
package dev.idempotency.web.recovery;

import java.io.Serial;

import org.jspecify.annotations.Nullable;

/**
 * A stored request did not reach its handler: the present application refuses it. The
 * message omits the content of the request.
 */
final class CommandRefusedException extends RuntimeException {

	@Serial
	private static final long serialVersionUID = 1L;

	CommandRefusedException(int status, @Nullable Throwable cause) {
		super("The stored request was refused with the status " + status, cause);
	}

}
