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
package dev.idempotency.codec;

import dev.idempotency.exception.NotReplayableException;

/**
 * A codec for stored content, which compresses or encrypts it. Used for answers, and for
 * all other stored content of requests: commands, results of steps, payloads of jobs and
 * events. Declared as a bean it replaces the one that {@code idempotency.codec}
 * configures.
 */
public interface ResponseCodec {

	/**
	 * Encodes content for the store.
	 * @param context the place of the content; authenticated encryption binds the content
	 * to it
	 * @param content the content
	 * @return the bytes to store, at least one
	 */
	byte[] encode(CodecContext context, byte[] content);

	/**
	 * Decodes content written by {@link #encode}, including that of earlier
	 * configurations whose rows still exist. A codec that encrypts must refuse content
	 * that it cannot authenticate: otherwise anyone with write access to the table would
	 * decide what is replayed.
	 * @param context the place of the content
	 * @param stored the stored bytes
	 * @return the content
	 * @throws NotReplayableException if it cannot be decoded
	 */
	byte[] decode(CodecContext context, byte[] stored);

}
