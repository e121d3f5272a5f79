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
package dev.idempotency;

/**
 * Turns an answer into what is stored and back: compresses it, encrypts it. Declared as a
 * bean it replaces the one that {@code idempotency.codec} configures.
 */
public interface ResponseCodec {

	/**
	 * Encode an answer for the store.
	 * @param identity the digest of the record that will hold it; authenticated
	 * encryption binds the answer to it
	 * @param answer the serialised headers and body
	 * @return the bytes to store
	 */
	byte[] encode(byte[] identity, byte[] answer);

	/**
	 * Decode what {@link #encode} made, also by an earlier configuration whose rows are
	 * still there.
	 * @param identity the digest of the record that holds it
	 * @param stored the stored bytes
	 * @return the serialised headers and body
	 * @throws NotReplayableException if it cannot be decoded
	 */
	byte[] decode(byte[] identity, byte[] stored);

}
