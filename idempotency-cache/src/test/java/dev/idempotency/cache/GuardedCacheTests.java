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
package dev.idempotency.cache;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cache.Cache;
import org.springframework.cache.concurrent.ConcurrentMapCache;

import dev.idempotency.engine.observation.NotificationPublisher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@ExtendWith(OutputCaptureExtension.class)
class GuardedCacheTests {

	private final AtomicInteger failures = new AtomicInteger();

	private final CountDownLatch end = new CountDownLatch(1);

	private final Cache cache = new ConcurrentMapCache("test");

	private final AtomicLong nanos = new AtomicLong();

	private GuardedCache guarded = guard(Duration.ofMinutes(1));

	private GuardedCache guard(Duration timeout) {
		return new GuardedCache(this.cache, timeout,
				new NotificationPublisher(List.of((notification) -> this.failures.incrementAndGet())), this.nanos::get);
	}

	@AfterEach
	void close() {
		this.end.countDown();
		this.guarded.close();
	}

	private static void fail(Cache cache) {
		throw new IllegalStateException("gone");
	}

	private void hang() {
		try {
			this.end.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void whatIsBroughtIsFound() {
		this.guarded.tell((cache) -> cache.put("k", "v"));
		await().until(() -> "v".equals(this.guarded.<String>ask((cache) -> cache.get("k", String.class))));
		assertThat(this.failures).hasValue(0);
	}

	@Test
	void aFailureIsNothingFoundAndTheCacheIsLeftAloneForAMoment() {
		assertThat(this.guarded.<String>ask((cache) -> {
			throw new IllegalStateException("gone");
		})).isNull();
		assertThat(this.failures).hasValue(1);
		this.nanos.addAndGet(GuardedCache.REST.toNanos() - 1);
		assertThat(this.guarded.<String>ask((cache) -> "asked")).isNull();
		this.nanos.addAndGet(1);
		assertThat(this.guarded.<String>ask((cache) -> "asked")).isEqualTo("asked");
		assertThat(this.guarded.<String>ask((cache) -> "asked")).isEqualTo("asked");
		assertThat(this.failures).hasValue(1);
	}

	@Test
	void everyFailureIsAnEventAndTheFirstOfAStreakIsLogged(CapturedOutput output) {
		this.guarded.require(GuardedCacheTests::fail);
		this.guarded.require(GuardedCacheTests::fail);
		this.guarded.require(GuardedCacheTests::fail);
		assertThat(this.failures).hasValue(3);
		assertThat(output.toString().split("does not work", -1)).hasSize(2);
		this.guarded.require((cache) -> cache.put("k", "v"));
		this.guarded.require(GuardedCacheTests::fail);
		assertThat(this.failures).hasValue(4);
		assertThat(output.toString().split("works again", -1)).hasSize(2);
		assertThat(output.toString().split("does not work", -1)).hasSize(3);
	}

	@Test
	void whoAsksACacheThatHangsGoesOnWithoutIt() {
		this.guarded.close();
		this.guarded = guard(Duration.ofMillis(1));
		assertThat(this.guarded.<String>ask((cache) -> {
			hang();
			return "late";
		})).isNull();
		assertThat(this.failures).hasValue(1);
	}

	@Test
	void whoBringsSomethingDoesNotWaitAndWhatIsTooMuchIsDropped() {
		for (int i = 0; i < 1000; i++) {
			this.guarded.tell((cache) -> hang());
			this.nanos.addAndGet(GuardedCache.REST.toNanos());
		}
		assertThat(this.failures.get()).isPositive();
		this.end.countDown();
		await().until(() -> {
			this.nanos.addAndGet(GuardedCache.REST.toNanos());
			return "again".equals(this.guarded.<String>ask((cache) -> "again"));
		});
	}

	@Test
	void anInterruptIsKept() {
		Thread.currentThread().interrupt();
		assertThat(this.guarded.<String>ask((cache) -> {
			hang();
			return "late";
		})).isNull();
		assertThat(Thread.interrupted()).isTrue();
	}

}
