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
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The digests of a request's content.
 *
 * @param sent the digest of the bytes, {@code null} if the meaning is not parsed
 * @param meaning supplies the digest of the meaning, which is parsed for it
 */
public record ContentDigest(byte @Nullable [] sent, Supplier<byte[]> meaning) {

	/**
	 * Digests a request.
	 * @param strategy the strategy of the application
	 * @param source the request
	 * @return its digests
	 * @throws IOException if the body cannot be read
	 */
	public static ContentDigest of(FingerprintStrategy strategy, FingerprintSource source) throws IOException {
		return (strategy instanceof CanonicalFingerprint canonical) ? canonical.digest(source)
				: of(strategy.fingerprint(source));
	}

	static ContentDigest of(byte[] meaning) {
		return new ContentDigest(null, () -> meaning);
	}

}
