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

/**
 * A strategy that decides whether two requests with the same key are the same request:
 * they are if their fingerprints are equal. Declare a bean of this type to replace the
 * default, which compares method, path, query, media type and the meaning of the body.
 * The stored fingerprint is a digest of the result, the request's identity and its
 * handler: the same request of another account, or to another handler, is never the same.
 */
@FunctionalInterface
public interface FingerprintStrategy {

	/**
	 * Computes the fingerprint of a request. The result has to be the same on every node
	 * and after every restart.
	 * @param source the request
	 * @return the fingerprint, at least one byte
	 * @throws IOException if the body cannot be read
	 */
	byte[] fingerprint(FingerprintSource source) throws IOException;

}
