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

package dev.idempotency.conformance.fuzz;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.server.ResponseStatusException;

/**
 * The exceptions of handlers.
 */
final class Failures {

	private Failures() {
	}

	static Throwable of(Ending ending) {
		return switch (ending) {
			case THROW_CHECKED -> new Exception("checked");
			case THROW_ERROR -> new AssertionError("error");
			case THROW_STATUS_409, THROW_STATUS_503 ->
				new ResponseStatusException(HttpStatus.valueOf(ending.status()), "because");
			case THROW_ADVISED_402, THROW_ADVISED_429 -> new AdvisedException(ending.status());
			case THROW_ANNOTATED_404 -> new AnnotatedException();
			default -> new IllegalStateException("unmapped");
		};
	}

	@SuppressWarnings("unchecked")
	static <E extends Throwable> void raise(Throwable failure) throws E {
		throw (E) failure;
	}

	/**
	 * An exception that an advice maps.
	 */
	static final class AdvisedException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		private final int status;

		AdvisedException(int status) {
			this.status = status;
		}

		int status() {
			return this.status;
		}

	}

	/**
	 * An exception that has a status.
	 */
	@ResponseStatus(code = HttpStatus.NOT_FOUND, reason = "no such thing")
	static final class AnnotatedException extends RuntimeException {

		private static final long serialVersionUID = 1L;

	}

}
