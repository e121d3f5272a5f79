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
package dev.idempotency.conformance.security;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Errands;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.conformance.app.SharedApplications;
import dev.idempotency.operator.UnfinishedRequests;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.Exchanges.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of an attacker who can write to the table, and does not have the keys of the
 * codec.
 */
class ForgedContentTests {

	private static final String TYPE = "idempotency.codec.type=aes-gcm";

	private static final String COMPRESSED = "idempotency.codec.type=gzip";

	private static final String KEY = "idempotency.codec.keys.one="
			+ Base64.getEncoder().encodeToString("a key that has thirty-two bytes.".getBytes(StandardCharsets.UTF_8));

	private static final String OTHER_SECRET = "idempotency.secret.identity=YW4gaWRlbnRpdHkgc2VjcmV0IG9mIDMyIGJ5dGVzLi4=";

	private static final String NO_REAPER = "idempotency.reaper.enabled=false";

	private static final String NO_COMPLETER = "idempotency.completer.threads=0";

	private static final String HTML = "<script>forged</script>";

	@RegisterExtension
	static final SharedApplications APPLICATIONS = new SharedApplications();

	private static RunningApplication start(TestDatabase database, String... properties) {
		return RunningApplication.start(database, List.of(Payments.class),
				Stream.concat(Stream.of(NO_REAPER), Stream.of(properties)).toArray(String[]::new));
	}

	private static RunningApplication plain() {
		return APPLICATIONS.get(Endpoints.class, NO_REAPER, NO_COMPLETER);
	}

	private static RunningApplication encrypting() {
		return APPLICATIONS.get(Endpoints.class, TYPE, KEY, NO_REAPER, NO_COMPLETER);
	}

	private static HttpResponse<byte[]> pay(RunningApplication application, String key) {
		return application.post(ALICE, "/payments", key, Labelled.json("y10"));
	}

	@ParameterizedTest
	@Tag("Y10")
	@ValueSource(strings = { "plain", "gzip", "gzip-bomb" })
	void contentThatNobodyEncryptedIsNotReplayedFromTheTable(String encoding) {
		RunningApplication application = encrypting();
		assertOriginal(pay(application, "forged"), 201);
		application.jdbc().update("update idempotency_record set content = ?", forged(encoding));
		HttpResponse<byte[]> retry = pay(application, "forged");
		assertProblem(retry, 409, "not-replayable");
		assertThat(text(retry)).doesNotContain("forged");
		assertThat(retry.headers().firstValue("Set-Cookie")).isEmpty();
		assertThat(application.effects("y10")).isEqualTo(1);
	}

	/**
	 * The attack that encryption is against, as the reference describes it.
	 */
	@Test
	@Tag("Y10")
	void withoutEncryptionWhoeverWritesToTheTableDecidesWhatIsReplayed() {
		try (RunningApplication application = start(MigratedDatabase.create(), COMPRESSED)) {
			assertOriginal(pay(application, "forged"), 201);
			application.jdbc().update("update idempotency_record set content = ?", forged("plain"));
			assertThat(text(pay(application, "forged"))).isEqualTo(HTML);
		}
	}

	@Test
	@Tag("Y10")
	void duringADatedMigrationOlderAnswersAreReplayed() {
		RunningApplication older = plain();
		TestDatabase database = older.database();
		HttpResponse<byte[]> paid = pay(older, "older");
		try (RunningApplication application = start(database, TYPE, KEY)) {
			assertProblem(pay(application, "older"), 409, "not-replayable");
		}
		try (RunningApplication application = start(database, TYPE, KEY,
				"idempotency.codec.accept-unauthenticated-until=" + Instant.now().plus(Duration.ofHours(1)))) {
			assertReplay(pay(application, "older"), paid);
		}
		try (RunningApplication application = start(database, TYPE, KEY,
				"idempotency.codec.accept-unauthenticated-until=" + Instant.now().minusSeconds(1))) {
			assertProblem(pay(application, "older"), 409, "not-replayable");
			assertThat(application.effects("y10")).isEqualTo(1);
		}
	}

	@ParameterizedTest
	@Tag("Y10")
	@ValueSource(strings = { "content = (select content from idempotency_record where id <> r.id)", "status = 202",
			"fingerprint = fingerprint || '\\x00'::bytea" })
	void whatIsMovedOrChangedAroundAnAnswerIsFound(String change) {
		RunningApplication application = encrypting();
		assertOriginal(pay(application, "one"), 201);
		assertOriginal(application.post(ALICE, "/payments", "other", Labelled.json("y10-other")), 201);
		application.jdbc().update("update idempotency_record r set " + change);
		HttpResponse<byte[]> retry = pay(application, "one");
		assertThat(retry.statusCode()).as(text(retry)).isIn(409, 422);
		assertThat(application.effects("y10")).isEqualTo(1);
	}

	@Test
	@Tag("Y10")
	void aForgedCommandIsNotExecuted() {
		RunningApplication plain = plain();
		Errands.fail("genuine");
		send(plain, "genuine");
		byte[] command = plain.jdbc()
			.queryForObject("select command from idempotency_lease where namespace <> ''", byte[].class);
		Errands.repair("genuine");
		RunningApplication encrypting = encrypting();
		Errands.fail("encrypted");
		send(encrypting, "encrypted");
		encrypting.jdbc().update("update idempotency_lease set command = ? where namespace <> ''", command);
		Errands.repair("encrypted");
		try (RunningApplication application = completing(encrypting.database())) {
			UnfinishedRequests requests = application.context().getBean(UnfinishedRequests.class);
			await().until(() -> requests.stuck(1).size() == 1 || application.records() == 1);
			assertThat(application.effects("genuine")).isZero();
			assertThat(application.effects("genuine done")).isZero();
			assertThat(requests.stuck(1)).hasSize(1);
		}
	}

	/**
	 * Two applications of one team often share the key of the codec. The second one has
	 * the same operation, user and key for the codec, and a secret of its own.
	 */
	@Test
	@Tag("S17")
	void aRequestThatWasMovedToAnotherApplicationIsNotExecutedThere() {
		RunningApplication first = encrypting();
		Errands.fail("moved");
		send(first, "moved");
		Errands.repair("moved");
		first.jdbc().update("update idempotency_lease set namespace = 'other' where namespace <> ''");
		try (RunningApplication other = completing(first.database(), "idempotency.namespace=other", OTHER_SECRET)) {
			UnfinishedRequests requests = other.context().getBean(UnfinishedRequests.class);
			await().until(() -> requests.stuck(1).size() == 1 || other.records() == 1);
			assertThat(requests.stuck(1)).singleElement()
				.satisfies((stuck) -> assertThat(stuck.lastError()).contains("NotReplayableException"));
			assertThat(other.effects("moved done")).isZero();
		}
	}

	private static RunningApplication completing(TestDatabase database, String... properties) {
		return RunningApplication.start(database, List.of(Errands.class),
				Stream
					.concat(Stream.of(properties),
							Stream.of(TYPE, KEY, "idempotency.completer.after=0", "idempotency.completer.interval=20ms",
									"idempotency.completer.max-attempts=2", "idempotency.reaper.interval=20ms"))
					.toArray(String[]::new));
	}

	@ParameterizedTest
	@Tag("Y10")
	@ValueSource(strings = { "planted", "moved" })
	void forgedResultsOfStepsAreNotBelieved(String kind) {
		String label = "steps-" + kind;
		Errands.fail(label);
		RunningApplication application = encrypting();
		send(application, label);
		Errands.repair(label);
		if (kind.equals("planted")) {
			application.jdbc()
				.update("update idempotency_lease set steps = ? where namespace <> ''",
						steps("begun", "\"forged-id\""));
		}
		else {
			application.jdbc().update("update idempotency_lease set steps = command where namespace <> ''");
		}
		HttpResponse<byte[]> retry = application.post(ALICE, "/errands/home?speed=1", label, Labelled.json(label));
		assertProblem(retry, 409, "not-replayable");
		assertThat(application.effects(label)).isEqualTo(1);
		assertThat(application.effects(label + " done")).isZero();
	}

	private static byte[] steps(String name, String json) {
		return write((out) -> {
			out.writeByte(0);
			out.writeByte(1);
			out.writeShort(1);
			out.writeUTF(name);
			out.writeInt(json.length());
			out.writeBytes(json);
		});
	}

	private static void send(RunningApplication application, String label) {
		assertThat(application.post(ALICE, "/errands/home?speed=1", label, Labelled.json(label)).statusCode())
			.isEqualTo(500);
	}

	private static byte[] forged(String encoding) {
		byte[] answer = answer((encoding.equals("gzip-bomb")) ? "\0".repeat(64 * 1024 * 1024) : HTML);
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		bytes.write(encoding.equals("plain") ? 0 : 1);
		try {
			if (encoding.equals("plain")) {
				bytes.write(answer);
			}
			else {
				try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
					out.write(answer);
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return bytes.toByteArray();
	}

	private static byte[] answer(String body) {
		return write((out) -> {
			out.writeByte(1);
			out.writeShort(2);
			for (String[] header : new String[][] { { "Content-Type", "text/html" }, { "Set-Cookie", "a=forged" } }) {
				out.writeUTF(header[0]);
				out.writeUTF(header[1]);
				out.writeBoolean(false);
			}
			out.write(body.getBytes(StandardCharsets.UTF_8));
		});
	}

	private static byte[] write(Writer writer) {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try {
			writer.write(new DataOutputStream(bytes));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return bytes.toByteArray();
	}

	private interface Writer {

		void write(DataOutputStream out) throws IOException;

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Payments.class, Errands.class })
	static class Endpoints {

	}

	@RestController
	static class Payments {

		private final Effects effects;

		Payments(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping("/payments")
		@ResponseStatus(HttpStatus.CREATED)
		Map<String, String> pay(@RequestBody Labelled payment) {
			return Map.of("id", this.effects.record(payment.label()).getId().toString());
		}

	}

}
