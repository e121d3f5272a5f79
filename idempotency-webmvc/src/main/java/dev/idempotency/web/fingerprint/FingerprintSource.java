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

package dev.idempotency.web.fingerprint;

import java.io.IOException;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.core.io.InputStreamSource;

/**
 * The view of a request for a {@link FingerprintStrategy}: the request as its handler
 * gets it, through all filters around it.
 */
public interface FingerprintSource {

	/**
	 * Returns the HTTP method, in the spelling of the request.
	 */
	String method();

	/**
	 * Returns the concrete path within the application, not the route's template, as it
	 * was sent: not decoded, without the context path, and without the prefix that a
	 * proxy may have added. The path of an included request follows the path of the
	 * request that includes it, after a space.
	 */
	String path();

	/**
	 * Returns the query as it was sent, without the question mark and not decoded, or
	 * {@code null} if there is none. The query of an included request comes before the
	 * query of the request that includes it.
	 */
	@Nullable String query();

	/**
	 * Returns the decoded values by parameter name, each in their order, from the query,
	 * a form and the text fields of a multipart body. Empty if they cannot be read.
	 */
	Map<String, List<String>> parameters();

	/**
	 * Returns the {@code Content-Type} as it was sent, or {@code null} if there is none.
	 */
	@Nullable String contentType();

	/**
	 * Returns the values of a header, one for each header line, in their order.
	 * @param name the name of the header, in any case
	 * @return the values, empty if the request does not have the header
	 */
	List<String> headers(String name);

	/**
	 * Returns the body. Reading it here does not take it away from the handler.
	 * @throws IOException if the body cannot be read
	 */
	Body body() throws IOException;

	/**
	 * The body of a request, in the form in which the server provides it.
	 */
	sealed interface Body {

	}

	/**
	 * A body that is read by its stream.
	 *
	 * @param content the bytes, empty if there is no body, or if it was read as a form,
	 * whose fields are parameters; not copied, not to be changed
	 */
	record Bytes(byte[] content) implements Body {

	}

	/**
	 * A {@code multipart/*} body, as the application's multipart resolver has read it.
	 *
	 * @param parts the files, and the fields that are not only parameters; parts of one
	 * name in the order in which they were sent
	 */
	record Multipart(List<Part> parts) implements Body {

	}

	/**
	 * A part of a {@link Multipart} body.
	 *
	 * @param name the name of the field
	 * @param fileName the file name as it was sent, or {@code null} if there is none
	 * @param contentType the media type as it was sent, or {@code null} if there is none
	 * @param content opens the content, with a new stream each time; it may be larger
	 * than the memory
	 * @param size the size of the content in bytes
	 */
	record Part(String name, @Nullable String fileName, @Nullable String contentType, InputStreamSource content,
			long size) {

	}

}
