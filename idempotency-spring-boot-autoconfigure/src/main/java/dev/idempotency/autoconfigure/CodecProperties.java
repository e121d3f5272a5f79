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

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;

import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;

import dev.idempotency.codec.ResponseCodec;
import dev.idempotency.engine.codec.ContentCipher;
import dev.idempotency.engine.codec.EnvelopeCodec;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.logging.LogEvent;

import static dev.idempotency.autoconfigure.PropertyRules.decodeBase64;
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
record CodecProperties(@DefaultValue("none") CodecType type, @DefaultValue Map<String, String> keys,
		@Nullable String activeKey, @Nullable Instant acceptUnauthenticatedUntil) {

	static final CodecProperties DEFAULTS = new CodecProperties(CodecType.NONE, Map.of(), null, null);

	private static final Log logger = LogFactory.getLog(CodecProperties.class);

	private static final int KEY_LENGTH = 32;

	private static final Duration LONGEST_MIGRATION = Duration.ofDays(90);

	CodecProperties {
		require(acceptUnauthenticatedUntil == null || type == CodecType.AES_GCM, "codec.accept-unauthenticated-until",
				acceptUnauthenticatedUntil,
				"Remove it, or set idempotency.codec.type to aes-gcm: without encryption nothing is authenticated.");
	}

	/**
	 * Creates the codec.
	 * @param maxContent the size limit of stored content
	 */
	ResponseCodec toCodec(int maxContent) {
		ContentCipher cipher = cipher();
		return switch (this.type) {
			case NONE -> EnvelopeCodec.plain(cipher).withMaxContent(maxContent);
			case GZIP -> EnvelopeCodec.gzip(cipher).withMaxContent(maxContent);
			case AES_GCM -> migrating(EnvelopeCodec.encrypting(requireKey(cipher)).withMaxContent(maxContent),
					InstantSource.system());
		};
	}

	private EnvelopeCodec migrating(EnvelopeCodec codec, InstantSource clock) {
		Instant end = this.acceptUnauthenticatedUntil;
		if (end == null) {
			return codec;
		}
		require(!end.isAfter(clock.instant().plus(LONGEST_MIGRATION)), "codec.accept-unauthenticated-until", end,
				"Write a time within " + LONGEST_MIGRATION.toDays()
						+ " days, such as the longest time to live from now.");
		if (end.isAfter(clock.instant())) {
			LogEvent.UNAUTHENTICATED_ACCEPTED.log(logger, "Stored content that is not encrypted is read until " + end
					+ ": a writer of the table can forge replayed responses");
		}
		return codec.acceptingUnauthenticatedUntil(end, clock);
	}

	private static ContentCipher requireKey(@Nullable ContentCipher cipher) {
		if (cipher == null) {
			throw new InvalidIdempotentException(
					"The property idempotency.codec.type is aes-gcm, and no key is configured.",
					"Set idempotency.codec.keys.<id> to 32 random bytes in Base64, as from 'openssl rand -base64 32'.");
		}
		return cipher;
	}

	private @Nullable ContentCipher cipher() {
		if (this.keys.isEmpty()) {
			return null;
		}
		Map<String, SecretKey> decoded = new LinkedHashMap<>();
		this.keys.forEach((id, value) -> decoded.put(id, key(id, value)));
		String active = this.activeKey;
		if (active == null && decoded.size() == 1) {
			active = decoded.keySet().iterator().next();
		}
		if (active == null || !decoded.containsKey(active)) {
			// Without the value: it may be a key that was written in the wrong place.
			throw new InvalidIdempotentException("The property idempotency.codec.active-key "
					+ ((active != null) ? "names none" : "has to name one") + " of the keys " + decoded.keySet() + ".",
					"Name the key that encrypts.");
		}
		return new ContentCipher(decoded, active);
	}

	private static SecretKey key(String id, String value) {
		byte[] bytes = decodeBase64(value);
		if (bytes.length != KEY_LENGTH || id.length() > 64) {
			throw new InvalidIdempotentException(
					"The property idempotency.codec.keys." + id
							+ " is not a key for AES-256, or its id has over 64 characters.",
					"Write 32 random bytes in Base64, as from 'openssl rand -base64 32'.");
		}
		return new SecretKeySpec(bytes, "AES");
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
