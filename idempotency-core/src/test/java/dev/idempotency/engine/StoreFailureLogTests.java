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
package dev.idempotency.engine;

import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import dev.idempotency.IdempotencyNotification.StorePhase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The frequency of log lines about a failing store.
 */
@ExtendWith(OutputCaptureExtension.class)
class StoreFailureLogTests {

	private final AtomicLong time = new AtomicLong(Long.MAX_VALUE - 1);

	private final DuplicateHandler.StoreFailureLog streak = new DuplicateHandler.StoreFailureLog(this.time::get);

	private void fail() {
		this.streak.failed("POST /payments", StorePhase.CLAIM,
				new IllegalStateException(new SQLException("Connection to 127.0.0.1:5432 refused", "08001")));
	}

	private static int count(CapturedOutput output, String id) {
		return output.getAll().split("\\[" + id + "]", -1).length - 1;
	}

	@Test
	void aStreakIsToldOnceWithItsCause(CapturedOutput output) {
		fail();
		fail();
		fail();
		assertThat(count(output, "IDEM-1201")).isEqualTo(1);
		assertThat(output).contains("[POST /payments, CLAIM]", "[08001]: Connection to 127.0.0.1:5432 refused");
	}

	@Test
	void aStoreThatFailsNowAndThenIsOneStreak(CapturedOutput output) {
		for (int i = 0; i < 100; i++) {
			fail();
			this.time.addAndGet(DuplicateHandler.StoreFailureLog.QUIET.toNanos() - 1);
			this.streak.succeeded();
		}
		assertThat(count(output, "IDEM-1201")).isEqualTo(1);
		assertThat(count(output, "IDEM-1202")).isZero();
	}

	@Test
	void theEndOfAStreakIsToldAndTheNextOneAgain(CapturedOutput output) {
		fail();
		this.time.addAndGet(DuplicateHandler.StoreFailureLog.QUIET.toNanos());
		this.streak.succeeded();
		this.streak.succeeded();
		assertThat(count(output, "IDEM-1202")).isEqualTo(1);
		fail();
		assertThat(count(output, "IDEM-1201")).isEqualTo(2);
	}

	@Test
	void aStoreThatWorksIsNotToldOf(CapturedOutput output) {
		this.streak.succeeded();
		assertThat(output.getAll()).doesNotContain("IDEM-");
	}

}
