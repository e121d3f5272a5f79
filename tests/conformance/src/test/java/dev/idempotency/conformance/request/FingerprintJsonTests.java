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
package dev.idempotency.conformance.request;

import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Responses.assertOriginal;
import static dev.idempotency.conformance.app.Responses.assertProblem;
import static dev.idempotency.conformance.app.Responses.assertReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Group F: a JSON body counts by what it means.
 */
class FingerprintJsonTests {

	private static final String JSON = "application/json";

	private static RunningApplication application;

	private final String label = UUID.randomUUID().toString();

	private final String path = "/payments/" + this.label;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(Payments.class, "idempotency.fingerprint.exclude-pointers=/meta/sentAt");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@ParameterizedTest
	@Tag("F3")
	@ValueSource(strings = { "{\"b\":[1,2],\"a\":{\"d\":4,\"c\":\"x\"}}",
			" {\n\t\"a\" : { \"c\" : \"x\" , \"d\" : 4 } ,\r\n \"b\" : [ 1 , 2 ] } ",
			"{\"\\u0061\":{\"c\":\"\\u0078\",\"d\":4},\"b\":[1,2]}" })
	void whiteSpaceMemberOrderAndEscapesDoNotCount(String same) {
		assertSame(JSON, "{\"a\":{\"c\":\"x\",\"d\":4},\"b\":[1,2]}", JSON, same);
	}

	@ParameterizedTest
	@Tag("F4")
	@CsvSource(delimiter = '|',
			value = { "{\"a\":[1,2]} | {\"a\":[2,1]}", "{\"a\":null} | {}", "{\"a\":null} | {\"a\":\"null\"}",
					"{\"a\":1} | {\"a\":\"1\"}", "{\"a\":\"x\"} | {\"a\":\"x \"}", "{\"a\":\"\"} | {\"a\":null}",
					"{\"a\":false} | {\"a\":0}", "{\"a\":{}} | {\"a\":[]}", "[[1],[2]] | [[1,2]]" })
	void whatMeansSomethingElseIsAnotherRequest(String one, String other) {
		assertDifferent(JSON, one, JSON, other);
	}

	@ParameterizedTest
	@Tag("F5")
	@ValueSource(strings = { "1", "1.0", "1e0", "10E-1", "0.1e+1" })
	void aNumberIsItsValue(String spelling) {
		assertSame(JSON, "{\"amount\":1}", JSON, "{\"amount\":" + spelling + "}");
	}

	@ParameterizedTest
	@Tag("F5")
	@CsvSource({ "9007199254740993, 9007199254740992", "0.1, 0.10000000000000001", "1e400, 1e401",
			"100000000000000000000000000001, 100000000000000000000000000002" })
	void aNumberIsExact(String one, String other) {
		assertDifferent(JSON, "{\"amount\":" + one + "}", JSON, "{\"amount\":" + other + "}");
	}

	@ParameterizedTest
	@Tag("F6")
	@ValueSource(strings = { "{\"a\":1,\"a\":2}", "{\"a\":", "{", "not json", "{\"a\":1}}", "\u0000", "{\"a\":NaN}" })
	void whatIsNoUnambiguousJsonCountsByItsBytes(String body) {
		assertSame(JSON, body, JSON, body);
		assertProblem(send(this.path, JSON, body + " "), 422, "key-reused");
	}

	@Test
	@Tag("F6")
	void bytesThatAreNoUtf8AreNoError() {
		byte[] body = { '"', (byte) 0xC3, (byte) 0x28, '"' };
		HttpResponse<byte[]> first = send(body);
		assertOriginal(first, 200);
		assertReplay(send(body), first);
		assertProblem(send(new byte[] { '"', (byte) 0xC3, (byte) 0x29, '"' }), 422, "key-reused");
	}

	@Test
	@Tag("F6")
	void deeplyNestedJsonIsNoError() {
		String body = "[".repeat(100_000) + "]".repeat(100_000);
		assertSame(JSON, body, JSON, body);
	}

	@Test
	@Tag("F10")
	void anExcludedPointerDoesNotCount() {
		assertSame(JSON, "{\"a\":1,\"meta\":{\"sentAt\":1,\"source\":\"app\"}}", JSON,
				"{\"a\":1,\"meta\":{\"sentAt\":[2],\"source\":\"app\"}}");
		assertProblem(send(this.path, JSON, "{\"a\":1,\"meta\":{\"sentAt\":1,\"source\":\"web\"}}"), 422, "key-reused");
	}

	@Test
	@Tag("F12")
	void anEmptyBodyEqualsItselfAndNothingElse() {
		assertSame(JSON, "", JSON, "");
		assertProblem(send(this.path, JSON, "{}"), 422, "key-reused");
		assertProblem(send(this.path, JSON, "null"), 422, "key-reused");
	}

	private void assertSame(String type, String body, String sameType, String same) {
		HttpResponse<byte[]> first = send(this.path, type, body);
		assertOriginal(first, 200);
		assertReplay(send(this.path, sameType, same), first);
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	private void assertDifferent(String type, String body, String otherType, String other) {
		HttpResponse<byte[]> first = send(this.path, type, body);
		assertOriginal(first, 200);
		assertProblem(send(this.path, otherType, other), 422, "key-reused");
		assertReplay(send(this.path, type, body), first);
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	private HttpResponse<byte[]> send(String path, String type, String body) {
		return application.send(application.request(ALICE, path)
			.header("Content-Type", type)
			.header("Idempotency-Key", this.label)
			.POST(BodyPublishers.ofString(body)));
	}

	private HttpResponse<byte[]> send(byte[] body) {
		return application.send(application.request(ALICE, this.path)
			.header("Content-Type", JSON)
			.header("Idempotency-Key", this.label)
			.POST(BodyPublishers.ofByteArray(body)));
	}

	@RestController
	static class Payments {

		private final Effects effects;

		Payments(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping("/payments/{label}")
		Map<String, Object> pay(@PathVariable String label, @RequestBody(required = false) byte @Nullable [] body) {
			return Map.of("id", this.effects.record(label).getId());
		}

	}

}
