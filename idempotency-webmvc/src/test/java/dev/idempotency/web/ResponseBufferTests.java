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
package dev.idempotency.web;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.mock.web.MockHttpServletResponse;

import dev.idempotency.web.endpoint.SensitiveNames;

import static org.assertj.core.api.Assertions.assertThat;

class ResponseBufferTests {

	private static final int LIMIT = 100_000;

	private final ResponseBuffer buffer = new ResponseBuffer(LIMIT,
			new CapturingResponse(new MockHttpServletResponse(), LIMIT, SensitiveNames.FIXED));

	private final ByteArrayOutputStream written = new ByteArrayOutputStream();

	private void write(int length, Random random) throws IOException {
		byte[] bytes = new byte[length + 2];
		random.nextBytes(bytes);
		this.buffer.write(bytes, 1, length);
		this.written.write(bytes, 1, length);
	}

	private byte[] sent() throws IOException {
		ByteArrayOutputStream sent = new ByteArrayOutputStream();
		this.buffer.writeTo(sent);
		return sent.toByteArray();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 10, 1_000, 8_000, 40_000 })
	void theContentIsEverythingWritten(int longest) throws IOException {
		Random random = new Random(longest);
		while (this.written.size() < LIMIT - longest - 1) {
			write(random.nextInt(longest + 1), random);
			this.buffer.write(7);
			this.written.write(7);
		}
		byte[] expected = this.written.toByteArray();
		assertThat(sent()).isEqualTo(expected);
		assertThat(this.buffer.complete()).isNotNull();
		this.buffer.reopen();
		assertThat(this.buffer.open().readAllBytes()).isEqualTo(expected);
		assertThat(sent()).isEqualTo(expected);
		assertThat(this.buffer.size()).isEqualTo(expected.length);
	}

	@Test
	void whatIsWrittenAfterAResetIsTheContent() throws IOException {
		write(100, new Random(1));
		this.buffer.reset();
		this.written.reset();
		write(100, new Random(2));
		assertThat(sent()).isEqualTo(this.written.toByteArray());
		assertThat(this.buffer.size()).isEqualTo(100);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 50_000 })
	void contentOverTheLimitIsSentFromAFileAndNotStored(int last) throws IOException {
		Random random = new Random(last);
		for (int chunk : List.of(1, LIMIT - 1)) {
			write(chunk, random);
		}
		assertThat(this.buffer.complete()).isNotNull();
		this.buffer.reopen();
		write(last, random);
		assertThat(this.buffer.complete()).isNull();
		assertThat(this.buffer.size()).isEqualTo(LIMIT + last);
		assertThat(sent()).isEqualTo(this.written.toByteArray());
		this.buffer.delete();
	}

	@Test
	void aByteOverTheLimitIsNotStored() throws IOException {
		for (int i = 0; i < LIMIT; i++) {
			this.buffer.write(i);
		}
		assertThat(this.buffer.complete()).isNotNull();
		this.buffer.reopen();
		this.buffer.write(1);
		assertThat(this.buffer.complete()).isNull();
		this.buffer.delete();
	}

	@Test
	void writesAfterTheEndAreIgnored() throws IOException {
		write(10, new Random(1));
		this.buffer.complete();
		this.buffer.write(1);
		this.buffer.write(new byte[100]);
		assertThat(sent()).isEqualTo(this.written.toByteArray());
	}

}
