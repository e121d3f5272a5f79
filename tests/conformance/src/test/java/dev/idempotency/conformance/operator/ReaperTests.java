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
package dev.idempotency.conformance.operator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import dev.idempotency.IdempotencyListener;
import dev.idempotency.IdempotencyNotification;
import dev.idempotency.conformance.app.AnnotatedService;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.engine.NotificationPublisher;
import dev.idempotency.maintenance.IdempotencyReaper;
import dev.idempotency.store.IdempotencyStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The deletion of expired records from the real table.
 */
@Tag("T3")
class ReaperTests {

	private static final Random RANDOM = new Random();

	/**
	 * The pool has no auto-commit here, as some applications have it: the reaper must.
	 */
	@Test
	void threeNodesDeleteWhatHasExpiredAndNothingElse() {
		try (RunningApplication application = RunningApplication.start(AnnotatedService.class,
				"idempotency.reaper.enabled=false", "spring.datasource.hikari.auto-commit=false")) {
			insert(application, "-1 second", 2 * IdempotencyReaper.BATCH_SIZE + 2000);
			insert(application, "1 hour", 50);
			AtomicInteger deleted = new AtomicInteger();
			IdempotencyListener listener = (notification) -> {
				if (notification instanceof IdempotencyNotification.Expired expired) {
					deleted.addAndGet(expired.records());
				}
			};
			List<IdempotencyReaper> nodes = startNodes(application, listener);
			try {
				await().atMost(Duration.ofSeconds(60)).until(() -> application.records() == 50);
				await().untilAtomic(deleted, org.hamcrest.Matchers.is(2 * IdempotencyReaper.BATCH_SIZE + 2000));
				insert(application, "-1 second", 10);
				await().untilAtomic(deleted, org.hamcrest.Matchers.is(2 * IdempotencyReaper.BATCH_SIZE + 2010));
			}
			finally {
				nodes.forEach(IdempotencyReaper::stop);
			}
			assertThat(application.records()).isEqualTo(50);
		}
	}

	private static List<IdempotencyReaper> startNodes(RunningApplication application, IdempotencyListener listener) {
		IdempotencyStore store = application.context().getBean(IdempotencyStore.class);
		List<IdempotencyReaper> nodes = new ArrayList<>(
				Stream
					.generate(() -> new IdempotencyReaper(store, null, new NotificationPublisher(List.of(listener)),
							new IdempotencyReaper.Schedule(Duration.ofMillis(50), 12, Duration.ofDays(7),
									Duration.ofDays(30))))
					.limit(3)
					.toList());
		nodes.forEach(IdempotencyReaper::start);
		return nodes;
	}

	private static void insert(RunningApplication application, String age, int count) {
		List<Object[]> rows = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			byte[] id = new byte[32];
			RANDOM.nextBytes(id);
			rows.add(new Object[] { id, new byte[0], new byte[0] });
		}
		String sql = """
				insert into idempotency_record
					(id, account, operation, fingerprint, status, content, finished_at, expires_at)
				values (?, ?, 'POST /payments', ?, 200, null, clock_timestamp(), clock_timestamp() + interval '%s')"""
			.formatted(age);
		new TransactionTemplate(application.context().getBean(PlatformTransactionManager.class))
			.executeWithoutResult((status) -> application.jdbc().batchUpdate(sql, rows));
	}

}
