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

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

import dev.idempotency.autoconfigure.ExecutionProperties;
import dev.idempotency.autoconfigure.IdempotencyAutoConfiguration;
import dev.idempotency.autoconfigure.IdempotencyProperties;
import dev.idempotency.autoconfigure.PropertyRules;
import dev.idempotency.autoconfigure.guard.EnforcementImport;
import dev.idempotency.codec.ResponseCodec;
import dev.idempotency.engine.codec.ContentCipher;
import dev.idempotency.engine.codec.EnvelopeCodec;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.logging.LogEvent;

/**
 * Auto-configuration of the codec for stored responses: plain, compressed, or encrypted.
 */
@AutoConfiguration(before = IdempotencyAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
@EnableConfigurationProperties({ CodecProperties.class, ExecutionProperties.class, IdempotencyProperties.class })
@Import(EnforcementImport.class)
public final class IdempotencyCodecAutoConfiguration {

	private static final Log logger = LogFactory.getLog(IdempotencyCodecAutoConfiguration.class);

	private static final int KEY_LENGTH = 32;

	/**
	 * Largest content of steps, jobs and events, which have no limit of their own.
	 */
	private static final int MAX_CONTENT = 16 * 1024 * 1024;

	/**
	 * Allowance for headers and metadata on top of a body.
	 */
	private static final int HEADERS = 1024 * 1024;

	private static final Duration LONGEST_MIGRATION = Duration.ofDays(90);

	@Bean
	@ConditionalOnMissingBean
	ResponseCodec idempotencyResponseCodec(CodecProperties codec, ExecutionProperties properties) {
		ContentCipher cipher = cipher(codec);
		int maxContent = maxContent(properties.limits());
		return switch (codec.type()) {
			case NONE -> EnvelopeCodec.plain(cipher).withMaxContent(maxContent);
			case GZIP -> EnvelopeCodec.gzip(cipher).withMaxContent(maxContent);
			case AES_GCM -> migrating(EnvelopeCodec.encrypting(require(cipher)).withMaxContent(maxContent), codec,
					InstantSource.system());
		};
	}

	/**
	 * Returns the size limit of stored content, large enough for everything that the
	 * other limits let through.
	 */
	private static int maxContent(ExecutionProperties.Limits limits) {
		long largest = Math.max(limits.maxRequestBody().toBytes(), limits.maxResponseBody().toBytes());
		return (int) Math.min(Math.max(MAX_CONTENT, largest + HEADERS), Integer.MAX_VALUE - 16);
	}

	private static EnvelopeCodec migrating(EnvelopeCodec codec, CodecProperties properties, InstantSource clock) {
		Instant end = properties.acceptUnauthenticatedUntil();
		if (end == null) {
			return codec;
		}
		PropertyRules.require(!end.isAfter(clock.instant().plus(LONGEST_MIGRATION)),
				"codec.accept-unauthenticated-until", end, "Write a time within " + LONGEST_MIGRATION.toDays()
						+ " days, such as the longest time to live from now.");
		if (end.isAfter(clock.instant())) {
			LogEvent.UNAUTHENTICATED_ACCEPTED.log(logger, "Stored content that is not encrypted is read until " + end
					+ ": a writer of the table can forge replayed responses");
		}
		return codec.acceptingUnauthenticatedUntil(end, clock);
	}

	private static ContentCipher require(@Nullable ContentCipher cipher) {
		if (cipher == null) {
			throw new InvalidIdempotentException(
					"The property idempotency.codec.type is aes-gcm, and no key is configured.",
					"Set idempotency.codec.keys.<id> to 32 random bytes in Base64, as from 'openssl rand -base64 32'.");
		}
		return cipher;
	}

	private static @Nullable ContentCipher cipher(CodecProperties codec) {
		if (codec.keys().isEmpty()) {
			return null;
		}
		Map<String, SecretKey> keys = new LinkedHashMap<>();
		codec.keys().forEach((id, value) -> keys.put(id, key(id, value)));
		String active = codec.activeKey();
		if (active == null && keys.size() == 1) {
			active = keys.keySet().iterator().next();
		}
		if (active == null || !keys.containsKey(active)) {
			// Without the value: it may be a key that was written in the wrong place.
			throw new InvalidIdempotentException("The property idempotency.codec.active-key "
					+ ((active != null) ? "names none" : "has to name one") + " of the keys " + keys.keySet() + ".",
					"Name the key that encrypts.");
		}
		return new ContentCipher(keys, active);
	}

	private static SecretKey key(String id, String value) {
		byte[] bytes = PropertyRules.decodeBase64(value);
		if (bytes.length != KEY_LENGTH || id.length() > 64) {
			throw new InvalidIdempotentException(
					"The property idempotency.codec.keys." + id
							+ " is not a key for AES-256, or its id has over 64 characters.",
					"Write 32 random bytes in Base64, as from 'openssl rand -base64 32'.");
		}
		return new SecretKeySpec(bytes, "AES");
	}

}
