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
package dev.idempotency.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How answers are stored.
 *
 * @param type Form in which answers are stored: as they are, compressed, or encrypted.
 * @param keys Keys for encryption by their id: 32 random bytes in Base64 each. Keys of
 * old answers stay until these have expired.
 * @param activeKey Id of the key that encrypts; needed with several keys.
 */
record CodecProperties(@DefaultValue("none") CodecType type, @DefaultValue java.util.Map<String, String> keys,
		@Nullable String activeKey) {

	/**
	 * The codecs of the library.
	 */
	public enum CodecType {

		/**
		 * As it is.
		 */
		NONE,

		/**
		 * Compressed with gzip.
		 */
		GZIP,

		/**
		 * Compressed, then encrypted and authenticated with AES-256-GCM.
		 */
		AES_GCM

	}

}
