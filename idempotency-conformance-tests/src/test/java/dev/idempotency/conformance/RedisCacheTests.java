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
package dev.idempotency.conformance;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import redis.embedded.RedisServer;

import org.springframework.cache.CacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.cache.RedisCacheConfiguration;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.serializer.RedisSerializationContext.SerializationPair;
import org.springframework.data.redis.serializer.RedisSerializer;
import org.springframework.http.HttpStatus;
import org.springframework.test.util.TestSocketUtils;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.IdempotencyNotification.ReplaySource;
import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.ReplaySources;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.engine.execution.AnswerCache;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The shared cache in a real Redis, as docs/reference/caching.md says to configure it,
 * with answers that are encrypted.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class RedisCacheTests {

	private static final int PORT = TestSocketUtils.findAvailableTcpPort();

	private static final String KEY = "idempotency.codec.keys.one="
			+ Base64.getEncoder().encodeToString("a key that has thirty-two bytes.".getBytes(StandardCharsets.UTF_8));

	private static RedisServer redis;

	private static RunningApplication first;

	private static RunningApplication second;

	@BeforeAll
	static void start() throws IOException {
		redis = RedisServer.newRedisServer()
			.port(PORT)
			.bind("127.0.0.1")
			.setting("save \"\"")
			.setting("appendonly no")
			.build();
		redis.start();
		TestDatabase database = TestDatabase.create();
		first = startNode(database);
		second = startNode(database);
	}

	private static RunningApplication startNode(TestDatabase database) {
		return RunningApplication.start(database, List.of(Payments.class, ReplaySources.class),
				"idempotency.cache.shared.enabled=true", "idempotency.cache.shared.timeout=5s",
				"idempotency.reaper.enabled=false", "idempotency.codec.type=aes-gcm", KEY);
	}

	@AfterAll
	static void stop() throws IOException {
		first.close();
		second.close();
		redis.stop();
	}

	@BeforeEach
	void forget() {
		first.jdbc().update("delete from idempotency_record");
		first.context().getBean(ReplaySources.class).take();
		second.context().getBean(ReplaySources.class).take();
	}

	private static HttpResponse<byte[]> pay(RunningApplication node, String key) {
		return node.post(ALICE, "/payments", key, Labelled.json(key));
	}

	private static RedisConnection connection() {
		return first.context().getBean(RedisConnectionFactory.class).getConnection();
	}

	private static byte[] redisKey() {
		byte[] id = first.jdbc().queryForObject("select id from idempotency_record", byte[].class);
		return ("idempotency::" + HexFormat.of().formatHex(id)).getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * Pays on the first node, and waits until all nodes know.
	 */
	private static HttpResponse<byte[]> payAndShare(String key) {
		HttpResponse<byte[]> paid = pay(first, key);
		assertOriginal(paid, 201);
		await().until(() -> {
			try (RedisConnection connection = connection()) {
				return connection.keyCommands().exists(redisKey());
			}
		});
		return paid;
	}

	@Test
	@Order(1)
	@Tag("S7")
	void whatOneNodeHasFinishedAnotherReplaysFromRedis() {
		HttpResponse<byte[]> paid = payAndShare("redis-s7");
		assertReplay(pay(second, "redis-s7"), paid);
		assertThat(second.context().getBean(ReplaySources.class).take()).containsExactly(ReplaySource.SHARED);
		assertThat(first.effects("redis-s7")).isEqualTo(1);
	}

	@Test
	@Order(2)
	@Tag("Y6")
	@Tag("Y10")
	void redisHoldsBytesThatTellNothingAndAForgedValueIsAMiss() {
		HttpResponse<byte[]> paid = payAndShare("redis-y10");
		try (RedisConnection connection = connection()) {
			byte[] value = connection.stringCommands().get(redisKey());
			assertThat(new String(value, StandardCharsets.ISO_8859_1)).doesNotContain("readable", "Content-Type",
					"alice");
			byte[] forged = value.clone();
			forged[forged.length - 1] ^= 1;
			// The header of a serialised Java object, too: it is bytes and nothing else.
			for (byte[] planted : List.of(forged, new byte[] { (byte) 0xac, (byte) 0xed, 0, 5, 't', 0, 1, 'x' })) {
				connection.stringCommands().set(redisKey(), planted);
				assertReplay(pay(second, "redis-y10"), paid);
				assertThat(second.context().getBean(ReplaySources.class).take()).containsExactly(ReplaySource.DATABASE);
				// What the database said takes its place.
				await().until(() -> !Arrays.equals(connection.stringCommands().get(redisKey()), planted));
			}
		}
		assertThat(first.effects("redis-y10")).isEqualTo(1);
	}

	@Test
	@Order(3)
	void whatIsPurgedIsGoneFromRedis() {
		payAndShare("redis-purged");
		byte[] key = redisKey();
		first.jdbc().update("delete from idempotency_record");
		first.context().getBean(AnswerCache.class).clear();
		try (RedisConnection connection = connection()) {
			assertThat(connection.keyCommands().exists(key)).isFalse();
		}
	}

	@Test
	@Order(4)
	void whenRedisIsGoneTheDatabaseAnswers() throws IOException {
		HttpResponse<byte[]> paid = payAndShare("redis-gone");
		redis.stop();
		assertReplay(pay(second, "redis-gone"), paid);
		assertOriginal(pay(second, "redis-gone-too"), 201);
		assertThat(second.context().getBean(ReplaySources.class).take()).containsExactly(ReplaySource.DATABASE);
	}

	@RestController
	static class Payments {

		private final Effects effects;

		Payments(Effects effects) {
			this.effects = effects;
		}

		@Bean
		static RedisConnectionFactory redisConnectionFactory() {
			return new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", PORT));
		}

		@Bean
		static CacheManager cacheManager(RedisConnectionFactory connections) {
			return RedisCacheManager.builder(connections)
				.cacheDefaults(RedisCacheConfiguration.defaultCacheConfig()
					.serializeValuesWith(SerializationPair.fromSerializer(RedisSerializer.byteArray())))
				.build();
		}

		@Idempotent
		@PostMapping("/payments")
		@ResponseStatus(HttpStatus.CREATED)
		Map<String, Object> pay(@RequestBody Labelled payment) {
			return Map.of("text", "readable", "id", this.effects.record(payment.label()).getId());
		}

	}

}
