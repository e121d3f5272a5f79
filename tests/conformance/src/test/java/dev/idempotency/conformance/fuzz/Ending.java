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

/**
 * The ways in which the first attempt of a handler ends.
 */
enum Ending {

	RETURN_200(Kind.RETURN, 200), RETURN_201(Kind.RETURN, 201), RETURN_204(Kind.RETURN, 204),
	RETURN_303(Kind.RETURN, 303), RETURN_402(Kind.RETURN, 402), RETURN_409(Kind.RETURN, 409),
	RETURN_408(Kind.RETURN, 408), RETURN_425(Kind.RETURN, 425), RETURN_429(Kind.RETURN, 429),
	RETURN_500(Kind.RETURN, 500), RETURN_503(Kind.RETURN, 503),

	SEND_ERROR_202(Kind.SEND_ERROR, 202), SEND_ERROR_404(Kind.SEND_ERROR, 404), SEND_ERROR_429(Kind.SEND_ERROR, 429),
	SEND_ERROR_503(Kind.SEND_ERROR, 503),

	/**
	 * By the exception's own status and by {@code @ExceptionHandler}, error pages, and
	 * not at all.
	 */
	THROW_UNMAPPED(Kind.THROW, 500), THROW_CHECKED(Kind.THROW, 500), THROW_ERROR(Kind.THROW, 500),
	THROW_STATUS_409(Kind.THROW, 409), THROW_STATUS_503(Kind.THROW, 503), THROW_ADVISED_402(Kind.THROW, 402),
	THROW_ADVISED_429(Kind.THROW, 429), THROW_ANNOTATED_404(Kind.THROW, 404);

	enum Kind {

		RETURN, SEND_ERROR, THROW

	}

	private final Kind kind;

	private final int status;

	Ending(Kind kind, int status) {
		this.kind = kind;
		this.status = status;
	}

	Kind kind() {
		return this.kind;
	}

	int status() {
		return this.status;
	}

}
