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
package dev.idempotency.autoconfigure.cache;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

import org.springframework.cache.Cache;
import org.springframework.cache.transaction.TransactionAwareCacheDecorator;
import org.springframework.data.redis.cache.RedisCache;
import org.springframework.data.redis.serializer.RedisSerializationContext.SerializationPair;
import org.springframework.data.redis.serializer.SerializationException;

import dev.idempotency.exception.InvalidIdempotentException;

/**
 * The form of values in Redis, detected with a test value: it must come back as it was,
 * and must not be a serialized Java object. A client that can write to Redis could
 * otherwise create an object of any class in the application.
 */
final class RedisValueRule {

	private static final byte[] PROBE = "idempotency".getBytes(StandardCharsets.US_ASCII);

	/**
	 * The first bytes of each stream of Java's serialization.
	 */
	private static final byte[] JAVA_STREAM = { (byte) 0xac, (byte) 0xed };

	private static final String ACTION = "Configure the values of this cache with "
			+ "RedisCacheConfiguration.serializeValuesWith(SerializationPair.fromSerializer(RedisSerializer.byteArray())), "
			+ "as in docs/reference/caching.md.";

	private RedisValueRule() {
	}

	/**
	 * Checks a cache, without asking the Redis server.
	 * @param cache any cache
	 * @throws InvalidIdempotentException if it is in Redis, and its values are not bytes
	 */
	static void check(Cache cache) {
		Cache target = (cache instanceof TransactionAwareCacheDecorator decorator) ? decorator.getTargetCache() : cache;
		if (!(target instanceof RedisCache redis)) {
			return;
		}
		SerializationPair<Object> values = redis.getCacheConfiguration().getValueSerializationPair();
		byte[] written = write(values);
		if (written != null && Arrays.equals(JAVA_STREAM, Arrays.copyOf(written, JAVA_STREAM.length))) {
			throw new InvalidIdempotentException("The cache '" + cache.getName()
					+ "' for answers is in Redis with values that are serialized Java objects: any client that can write to "
					+ "Redis could have any object created in this application.", ACTION);
		}
		if (written == null || !isRead(values, written)) {
			throw new InvalidIdempotentException("The cache '" + cache.getName()
					+ "' for answers is in Redis with a serializer that does not keep bytes as they are: no answer "
					+ "would be found in it.", ACTION);
		}
	}

	private static byte @Nullable [] write(SerializationPair<Object> values) {
		try {
			ByteBuffer buffer = values.write(PROBE);
			byte[] written = new byte[buffer.remaining()];
			buffer.get(written);
			return written;
		}
		catch (SerializationException | ClassCastException ex) {
			return null;
		}
	}

	private static boolean isRead(SerializationPair<Object> values, byte[] written) {
		try {
			return values.read(ByteBuffer.wrap(written)) instanceof byte[] read && Arrays.equals(read, PROBE);
		}
		catch (SerializationException ex) {
			return false;
		}
	}

}
