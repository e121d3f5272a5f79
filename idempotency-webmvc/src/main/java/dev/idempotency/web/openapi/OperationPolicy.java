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

package dev.idempotency.web.openapi;

import java.util.List;

import dev.idempotency.IdempotentOperation;
import dev.idempotency.web.endpoint.WebSettings;
import dev.idempotency.web.problem.ProblemType;

/**
 * The idempotency policy of an operation: the specification that
 * draft-ietf-httpapi-idempotency-key-header-07 section 2.5.2 asks servers to publish.
 *
 * @param methods the request methods that are protected, sorted
 * @param paths the path patterns, sorted, below the application's context path
 * @param consumes the media types of the request that the mapping names, none for any
 * @param source the place of the key
 * @param operation the settings of the annotation
 * @param canonical whether requests are compared by the library's fingerprint: method,
 * path, query, media type and the meaning of the body. Otherwise the application's own
 * decides, and nothing more is known
 * @param problems the library's possible answers instead of the handler's, by status
 * @param settings the settings of the HTTP side
 */
record OperationPolicy(List<String> methods, List<String> paths, List<String> consumes, KeySource source,
		IdempotentOperation operation, boolean canonical, List<ProblemType> problems, WebSettings settings) {

	boolean isKeyInHeader() {
		return this.source == KeySource.HEADER || this.source == KeySource.HEADER_OR_FORM;
	}

	/**
	 * The place of the key.
	 */
	enum KeySource {

		/**
		 * The request header.
		 */
		HEADER,

		/**
		 * The request header, or a field of the HTML form.
		 */
		HEADER_OR_FORM,

		/**
		 * An argument of the handler, found by an expression.
		 */
		EXPRESSION,

		/**
		 * The place known to the application's own
		 * {@link dev.idempotency.web.key.KeyResolver}.
		 */
		CUSTOM

	}

}
