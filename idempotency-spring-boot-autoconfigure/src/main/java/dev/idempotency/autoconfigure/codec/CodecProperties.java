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
package dev.idempotency.autoconfigure.codec;

import java.time.Instant;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

import static dev.idempotency.autoconfigure.PropertyRules.require;

/**
 * Settings of the codec for stored answers.
 *
 * @param type Format of stored answers: plain, compressed, or compressed and encrypted.
 * @param keys Keys for encryption by their id: 32 random bytes in Base64 each. Keys of
 * old answers stay until these have expired.
 * @param activeKey Id of the key that encrypts new answers; required with several keys.
 * @param acceptUnauthenticatedUntil End of a migration to aes-gcm, such as
 * 2026-12-31T00:00:00Z: until then content that is not encrypted is read as well. At most
 * 90 days ahead.
 */
@ConfigurationProperties("idempotency.codec")
record CodecProperties(@DefaultValue("none") CodecType type, @DefaultValue Map<String, String> keys,
		@Nullable String activeKey, @Nullable Instant acceptUnauthenticatedUntil) {

	CodecProperties {
		require(acceptUnauthenticatedUntil == null || type == CodecType.AES_GCM, "codec.accept-unauthenticated-until",
				acceptUnauthenticatedUntil,
				"Remove it, or set idempotency.codec.type to aes-gcm: without encryption nothing is authenticated.");
	}

	/**
	 * Hides the keys, which a record would show.
	 */
	@Override
	public String toString() {
		return "CodecProperties[" + this.type + ", keys " + this.keys.keySet() + "]";
	}

	/**
	 * The codecs of the library.
	 */
	enum CodecType {

		/**
		 * No compression.
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
