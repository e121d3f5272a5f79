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
import java.time.Instant;
import java.util.Arrays;
import java.util.Random;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.idempotency.store.StoredAnswer;
import dev.idempotency.store.StoredRecord;

import static org.assertj.core.api.Assertions.assertThat;

class SharedEntryTests {

	private static final Instant END = Instant.ofEpochMilli(1_800_000_000_123L);

	private static byte[] write(int status, byte @Nullable [] content) {
		return SharedEntry.write(
				new StoredRecord(new byte[] { 1, 2, 3 }, new StoredAnswer(status, content), Duration.ofHours(1)), END);
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "", "content" })
	void anEntryIsReadAsItWasWritten(@Nullable String content) {
		byte[] bytes = (content != null) ? content.getBytes() : null;
		SharedEntry entry = SharedEntry.read(write(201, bytes));
		assertThat(entry).isNotNull();
		assertThat(entry.end()).isEqualTo(END);
		assertThat(entry.stored().fingerprint()).containsExactly(1, 2, 3);
		assertThat(entry.stored().answer()).isEqualTo(new StoredAnswer(201, bytes));
	}

	@Test
	void theEndIsNotRoundedUp() {
		byte[] bytes = SharedEntry.write(new StoredRecord(new byte[0], new StoredAnswer(200, null), Duration.ZERO),
				END.plusNanos(999_999));
		assertThat(SharedEntry.read(bytes)).isNotNull().satisfies((entry) -> assertThat(entry.end()).isEqualTo(END));
	}

	@Test
	void whatIsOfAnotherTypeOrVersionIsNoEntry() {
		byte[] bytes = write(201, new byte[] { 7 });
		assertThat(SharedEntry.read(null)).isNull();
		assertThat(SharedEntry.read("text")).isNull();
		for (int version = 0; version < 256; version++) {
			bytes[0] = (byte) version;
			if (version != 1) {
				assertThat(SharedEntry.read(bytes)).as("version %d", version).isNull();
			}
		}
	}

	@Test
	void whatIsCutOffOrHasMoreIsNoEntry() {
		byte[] bytes = write(201, new byte[] { 7, 8, 9 });
		for (int length = 0; length < bytes.length; length++) {
			assertThat(SharedEntry.read(Arrays.copyOf(bytes, length))).as("%d bytes", length).isNull();
		}
		assertThat(SharedEntry.read(Arrays.copyOf(bytes, bytes.length + 1))).isNull();
	}

	/**
	 * Lengths that a garbled entry claims to have are not believed.
	 */
	@Test
	void garbageIsReadWithoutAnError() {
		Random random = new Random(3);
		for (int i = 0; i < 10_000; i++) {
			byte[] bytes = new byte[random.nextInt(64)];
			random.nextBytes(bytes);
			if (bytes.length > 0) {
				bytes[0] = 1;
			}
			SharedEntry entry = SharedEntry.read(bytes);
			assertThat(entry == null || entry.stored().answer() != null).isTrue();
		}
	}

}
