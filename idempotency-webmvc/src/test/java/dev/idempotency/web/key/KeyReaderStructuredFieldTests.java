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

package dev.idempotency.web.key;

import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.idempotency.HeaderSyntax;
import dev.idempotency.exception.MalformedKeyException;

import static dev.idempotency.web.key.KeyReaderTests.assertMalformed;
import static dev.idempotency.web.key.KeyReaderTests.parse;
import static dev.idempotency.web.key.KeyReaderTests.quoted;
import static dev.idempotency.web.key.KeyReaderTests.reader;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what surrounds the string in an RFC 9651 item, as {@link KeyReader} reads it.
 */
class KeyReaderStructuredFieldTests {

	private final KeyReader lenient = reader(HeaderSyntax.LENIENT);

	private final KeyReader strict = reader(HeaderSyntax.STRICT);

	@ParameterizedTest
	@Tag("K12")
	@ValueSource(strings = { "\"a\", \"b\"", "\"a\",\"b\"", "\"a\",", "\"a\";v=1, \"b\"", "(\"a\" \"b\")", "a,b",
			"a, b", ",", "a b" })
	void listIsMalformed(String value) {
		assertMalformed(this.lenient, value);
		assertMalformed(this.strict, value);
	}

	@ParameterizedTest
	@Tag("K13")
	@ValueSource(strings = { ";v=1", ";v", "; v=1", ";  v;w", ";v=-1", ";v=1.5", ";v=-123456789012.123",
			";v=999999999999999", ";v=\"s\\\"\"", ";v=tok/en:*", ";v=*t", ";v=:aGVsbG8=:", ";v=:aGVsbG8:", ";v=::",
			";v=?0", ";v=?1", ";v=@1659578233", ";v=@-1", ";v=%\"f%c3%bc\"", ";v=%\"\"", ";*v_-.*9=1;v=2;v=3",
			";v=1   " })
	void parametersAreReadAndLeftOut(String parameters) {
		assertThat(parse(this.strict, List.of("\"k\"" + parameters))).isEqualTo("k");
		assertThat(parse(this.lenient, List.of("\"k\"" + parameters))).isEqualTo("k");
	}

	@ParameterizedTest
	@Tag("K13")
	@ValueSource(strings = { ";", ";;", ";v=", ";V=1", ";1=1", ";v =1", ";v= 1", ";v=1 ;w", ";v=-", ";v=1.", ";v=.5",
			";v=1.2345", ";v=1234567890123.1", ";v=1234567890123456", ";v=\"s", ";v='s'", ";v=:a", ";v=:_:", ";v=:a:",
			";v=?", ";v=?2", ";v=@", ";v=@1.5", ";v=@t", ";v=%", ";v=%\"", ";v=%\"%C3%BC\"", ";v=%\"%c3\"",
			";v=%\"%c\"", ";v=%\"%", ";v=(1)", ";v=1,", ";v=t{" })
	void malformedParametersMakeTheKeyMalformed(String parameters) {
		assertMalformed(this.strict, "\"k\"" + parameters);
		assertMalformed(this.lenient, "\"k\"" + parameters);
	}

	@Test
	void anyPrintableKeySurvivesQuoting() {
		long seed = System.nanoTime();
		System.out.println("KeyReaderTests seed " + seed);
		Random random = new Random(seed);
		for (int i = 0; i < 5_000; i++) {
			StringBuilder text = new StringBuilder("k");
			for (int length = random.nextInt(40); length > 0; length--) {
				text.append((char) (0x20 + random.nextInt(0x5F)));
			}
			assertThat(parse(this.strict, List.of(quoted(text.toString())))).as("seed %d", seed)
				.isEqualTo(text.toString());
		}
	}

	@Test
	void anyTextIsEitherKeyOrMalformed() {
		long seed = System.nanoTime();
		System.out.println("KeyReaderTests seed " + seed);
		Random random = new Random(seed);
		String alphabet = "\"\"\\;;==:?@%*k1.- ,\t\u0000\u00FC";
		for (int i = 0; i < 50_000; i++) {
			StringBuilder text = new StringBuilder((i % 2 == 0) ? "\"k\";v=" : "");
			for (int length = random.nextInt(12); length > 0; length--) {
				text.append(alphabet.charAt(random.nextInt(alphabet.length())));
			}
			try {
				assertThat(parse(this.lenient, List.of(text.toString()))).as("seed %d", seed).matches("[ -~]{1,255}");
			}
			catch (MalformedKeyException ex) {
				assertThat(ex).as("seed %d", seed).hasMessageStartingWith("The Idempotency-Key header ");
			}
		}
	}

}
