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

import java.net.http.HttpResponse;
import java.util.UUID;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.idempotency.conformance.app.RawHttp;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Responses.MARKER;
import static dev.idempotency.conformance.app.Responses.assertOriginal;
import static dev.idempotency.conformance.app.Responses.assertProblem;
import static dev.idempotency.conformance.app.Responses.assertReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Group K: the key, with the default settings.
 */
class KeyTests {

	private static RunningApplication application;

	private final String label = UUID.randomUUID().toString();

	private final String path = "/payments/" + this.label;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(KeyedPayments.class);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	@Tag("K1")
	void aRequestWithoutItsRequiredKeyIsRefusedAndNothingHappens() {
		long records = application.records();
		assertProblem(application.send(application.json(ALICE, this.path, "{}")), 400, "missing-key");
		assertNothingHappened(records);
	}

	@Test
	@Tag("K2")
	void aRequestWithoutItsOptionalKeyRunsEachTimeAndIsNotStored() {
		long records = application.records();
		for (int i = 0; i < 2; i++) {
			assertOriginal(application.send(application.json(ALICE, "/optional/" + this.label, "{}")), 200);
		}
		assertThat(application.effects(this.label)).isEqualTo(2);
		assertThat(application.records()).isEqualTo(records);
	}

	@Test
	@Tag("K2")
	void anOptionalKeyThatIsSentProtects() {
		HttpResponse<byte[]> first = application.post(ALICE, "/optional/" + this.label, this.label, "{}");
		assertReplay(application.post(ALICE, "/optional/" + this.label, this.label, "{}"), first);
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	@Test
	@Tag("K2")
	void anOptionalKeyThatIsMalformedIsRefused() {
		assertProblem(application.post(ALICE, "/optional/" + this.label, "\"open", "{}"), 400, "malformed-key");
		assertThat(application.effects(this.label)).isZero();
	}

	@ParameterizedTest
	@Tag("K3")
	@Tag("K4")
	@ValueSource(strings = { "\"8e03978e-40d5-43dd-bc93-6894a57f9324\"", "2b1c6f3e-0f0c-4a57-8f0a-4a4dc0d8a001",
			"c0ffee00-0f0c-4a57-8f0a-4a4dc0d8a002" })
	void aUuidIsAKeyWithAndWithoutQuotes(String key) {
		HttpResponse<byte[]> first = application.post(ALICE, this.path, key, "{}");
		assertOriginal(first, 200);
		assertReplay(application.post(ALICE, this.path, key, "{}"), first);
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	@Test
	@Tag("K5")
	void bothSpellingsOfOneValueAreOneKey() {
		HttpResponse<byte[]> first = application.post(ALICE, this.path, this.label, "{}");
		assertReplay(application.post(ALICE, this.path, '"' + this.label + '"', "{}"), first);
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	@ParameterizedTest
	@Tag("K6")
	@ValueSource(strings = { "", "   ", "\"\"", "\"   \"" })
	void aKeyOfNothingIsRefused(String key) {
		assertMalformed("Idempotency-Key: " + key);
	}

	@ParameterizedTest
	@Tag("K7")
	@ValueSource(strings = { "k", "\\\"", "\\\\" })
	void aKeyHasAtMost255CharactersAfterItsEscapesAreDecoded(String character) {
		String key = '"' + character.repeat(255) + '"';
		HttpResponse<byte[]> first = application.post(ALICE, this.path, key, "{}");
		assertOriginal(first, 200);
		assertReplay(application.post(ALICE, this.path, key, "{}"), first);
		assertProblem(application.post(ALICE, this.path, '"' + character.repeat(256) + '"', "{}"), 400,
				"malformed-key");
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	@ParameterizedTest
	@Tag("K9")
	@ValueSource(strings = { "\"", "\"open", "\"a\"b", "\"a\" b", "\"a\\b\"", "\"a\\", "\"a\";", "\"a\";V=1",
			"\"a\";v=\"b" })
	void whatOpensWithAQuoteHasToBeAnRfc9651String(String key) {
		assertMalformed("Idempotency-Key: " + key);
	}

	@ParameterizedTest
	@Tag("K10")
	@ValueSource(ints = { 0x00, 0x01, 0x07, 0x08, 0x09, 0x0B, 0x0C, 0x0D, 0x1B, 0x1F, 0x7F, 0x80, 0xA0, 0xE4, 0xFF })
	void aCharacterThatIsNotVisibleAsciiIsRefused(int character) {
		assertRefused("Idempotency-Key: before" + (char) character + "after");
		assertRefused("Idempotency-Key: \"before" + (char) character + "after\"");
	}

	@ParameterizedTest
	@Tag("K10")
	@ValueSource(strings = { "caf\u00C3\u00A9", "\u00E2\u0082\u00AC" })
	void utf8IsRefused(String key) {
		assertRefused("Idempotency-Key: " + key);
		assertRefused("Idempotency-Key: \"" + key + '"');
	}

	@Test
	@Tag("K10")
	void aFoldedLineIsRefused() {
		assertRefused("Idempotency-Key: before\r\n after");
	}

	@ParameterizedTest
	@Tag("K11")
	@ValueSource(strings = { "same", "other", "\"same\"", "" })
	void aSecondHeaderLineIsRefusedEvenIfItIsTheSame(String second) {
		assertMalformed("Idempotency-Key: same", "Idempotency-Key: " + second);
		assertMalformed("Idempotency-Key: same", "idempotency-key: " + second);
	}

	@ParameterizedTest
	@Tag("K12")
	@ValueSource(strings = { "\"a\", \"b\"", "\"a\",\"a\"", "a, b", "a,b", "a," })
	void aListIsRefused(String key) {
		assertMalformed("Idempotency-Key: " + key);
	}

	@ParameterizedTest
	@Tag("K13")
	@ValueSource(strings = { ";v=1", "; v=1", ";v", ";v=\"x, y\";w=?1", ";v=:aGk=:", "  " })
	void parametersAfterTheStringAreNoPartOfTheKey(String parameters) {
		HttpResponse<byte[]> first = application.post(ALICE, this.path, '"' + this.label + '"' + parameters, "{}");
		assertOriginal(first, 200);
		assertReplay(application.post(ALICE, this.path, '"' + this.label + '"', "{}"), first);
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	@Test
	@Tag("K14")
	void keysThatDifferOnlyByCaseAreTwoKeys() {
		assertOriginal(application.post(ALICE, this.path, "k-" + this.label, "{}"), 200);
		assertOriginal(application.post(ALICE, this.path, "K-" + this.label, "{}"), 200);
		assertThat(application.effects(this.label)).isEqualTo(2);
	}

	@Test
	@Tag("K16")
	void theNameOfTheHeaderIsCaseInsensitive() {
		RawHttp raw = new RawHttp(application.port());
		RawHttp.Response first = raw.post(ALICE, this.path, "{}", "IDEMPOTENCY-KEY: " + this.label);
		RawHttp.Response retry = raw.post(ALICE, this.path, "{}", "idempotency-key: " + this.label);
		assertThat(first.values(MARKER)).isEmpty();
		assertThat(retry.values(MARKER)).containsExactly("true");
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	private void assertMalformed(String... lines) {
		long records = application.records();
		assertProblem(new RawHttp(application.port()).post(ALICE, this.path, "{}", lines), 400, "malformed-key");
		assertNothingHappened(records);
	}

	/**
	 * By the server already, or by the library.
	 */
	private void assertRefused(String line) {
		long records = application.records();
		assertThat(new RawHttp(application.port()).post(ALICE, this.path, "{}", line).status()).isEqualTo(400);
		assertNothingHappened(records);
	}

	private void assertNothingHappened(long records) {
		assertThat(application.effects(this.label)).isZero();
		assertThat(application.records()).isEqualTo(records);
	}

}
