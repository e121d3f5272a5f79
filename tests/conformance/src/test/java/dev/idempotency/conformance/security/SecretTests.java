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

import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.AnnotatedService;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Errands;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.conformance.app.SharedApplications;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static dev.idempotency.conformance.app.RunningApplication.BOB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Fingerprints and identities as they are in the table, without and with a secret.
 */
@ExtendWith(OutputCaptureExtension.class)
class SecretTests {

	@RegisterExtension
	static final SharedApplications APPLICATIONS = new SharedApplications();

	private static final String IDENTITY = "idempotency.secret.identity=YW4gaWRlbnRpdHkgc2VjcmV0IG9mIDMyIGJ5dGVzLi4=";

	private static final String OLD = "b2xkIGZpbmdlcnByaW50IHNlY3JldCwgMzIgYnl0ZXM=";

	private static final String NEW = "bmV3IGZpbmdlcnByaW50IHNlY3JldCwgMzIgYnl0ZXM=";

	private static RunningApplication start(TestDatabase database, String... properties) {
		return RunningApplication.start(database, List.of(Payments.class), properties);
	}

	/**
	 * The secret is checked at the start, whether or not there are requests.
	 */
	private static RunningApplication startWithoutServer(TestDatabase database, String... properties) {
		return RunningApplication.startWithoutServer(database, List.of(AnnotatedService.class), properties);
	}

	private static HttpResponse<byte[]> pay(RunningApplication application, String user) {
		return application.post(user, "/payments", "f17", Labelled.json("f17"));
	}

	/**
	 * Identity, account and fingerprint of each record.
	 */
	private static List<byte[]> digests(RunningApplication application) {
		List<byte[]> digests = new ArrayList<>();
		application.jdbc()
			.queryForList("select id, account, fingerprint from idempotency_record order by finished_at")
			.forEach((row) -> Stream.of("id", "account", "fingerprint")
				.forEach((column) -> digests.add((byte[]) row.get(column))));
		return digests;
	}

	@Test
	@Tag("F17")
	void equalBodiesOfTwoAccountsHaveDifferentFingerprints() {
		RunningApplication application = APPLICATIONS.get(Payments.class);
		assertOriginal(pay(application, ALICE), 200);
		assertOriginal(pay(application, BOB), 200);
		List<byte[]> digests = digests(application);
		assertThat(digests.get(2)).isNotEqualTo(digests.get(5));
	}

	/**
	 * Without a secret the same request has the same digests anywhere: whoever knows the
	 * rest of it can try out what he does not know. With one the row gives nothing to
	 * compare with.
	 */
	@Test
	@Tag("F17")
	void withASecretNothingInARowCanBeComputedWithoutIt() {
		RunningApplication application = APPLICATIONS.get(Payments.class);
		assertOriginal(pay(application, ALICE), 200);
		List<byte[]> unkeyed = digests(application);
		List<byte[]> guess;
		try (RunningApplication elsewhere = start(MigratedDatabase.create())) {
			assertOriginal(pay(elsewhere, ALICE), 200);
			guess = digests(elsewhere);
		}
		RunningApplication secretive = APPLICATIONS.get(Payments.class, IDENTITY);
		HttpResponse<byte[]> paid = pay(secretive, ALICE);
		assertOriginal(paid, 200);
		assertReplay(pay(secretive, ALICE), paid);
		assertProblem(secretive.post(ALICE, "/payments", "f17", Labelled.json("other")), 422, "key-reused");
		List<byte[]> keyed = digests(secretive);
		for (int i = 0; i < guess.size(); i++) {
			assertThat(unkeyed.get(i)).isEqualTo(guess.get(i));
			assertThat(keyed.get(i)).isNotEqualTo(guess.get(i));
		}
	}

	@Test
	@Tag("F17")
	@Tag("F23")
	void afterARotationFingerprintsOfTheOldSecretVerifyWhileItIsConfigured() {
		TestDatabase database = MigratedDatabase.create();
		String earlier = "idempotency.secret.earlier-fingerprints=" + OLD;
		HttpResponse<byte[]> paid;
		try (RunningApplication application = start(database, IDENTITY, "idempotency.secret.fingerprint=" + OLD)) {
			paid = pay(application, ALICE);
			assertOriginal(paid, 200);
		}
		try (RunningApplication application = start(database, IDENTITY, "idempotency.secret.fingerprint=" + NEW,
				earlier)) {
			assertReplay(pay(application, ALICE), paid);
			assertProblem(application.post(ALICE, "/payments", "f17", Labelled.json("other")), 422, "key-reused");
			assertThat(application.effects("other")).isZero();
		}
		try (RunningApplication application = start(database, IDENTITY, "idempotency.secret.fingerprint=" + NEW)) {
			assertProblem(pay(application, ALICE), 422, "key-reused");
			assertThat(application.effects("f17")).isEqualTo(1);
		}
	}

	@Test
	@Tag("F17")
	void anotherSecretOfIdentitiesStopsTheApplicationInsteadOfRunningRetriesAgain() {
		RunningApplication application = APPLICATIONS.get(Payments.class, IDENTITY);
		TestDatabase database = application.database();
		HttpResponse<byte[]> paid = pay(application, ALICE);
		assertOriginal(paid, 200);
		assertRefused(database, "with a secret other than idempotency.secret.identity",
				"idempotency.secret.identity=" + OLD);
		assertRefused(database, "with a secret other than none");
		assertRefused(database, "with a secret other than", "idempotency.secret.identity=" + OLD,
				"idempotency.secret.accept-change-until=2026-01-01T00:00:00Z");
		assertRefused(database, "idempotency.secret.accept-change-until", "idempotency.secret.identity=" + OLD,
				"idempotency.secret.accept-change-until=2999-01-01T00:00:00Z");
		startWithoutServer(database, IDENTITY).close();
		assertReplay(pay(application, ALICE), paid);
	}

	@Test
	@Tag("F17")
	void aSecretThatComesAfterTheFirstRequestStopsTheApplication() {
		TestDatabase database = MigratedDatabase.create();
		startWithoutServer(database).close();
		startWithoutServer(database).close();
		assertRefused(database, "without a secret", IDENTITY);
	}

	@Test
	@Tag("F17")
	void anotherSecretOfIdentitiesIsAcceptedUntilAGivenTimeAndThenTheEarlierOneIsNot(CapturedOutput output) {
		TestDatabase database = MigratedDatabase.create();
		startWithoutServer(database).close();
		startWithoutServer(database, IDENTITY,
				"idempotency.secret.accept-change-until=" + Instant.now().plus(Duration.ofHours(1)))
			.close();
		assertThat(output).containsOnlyOnce("IDEM-1011");
		startWithoutServer(database, IDENTITY).close();
		assertThat(output).containsOnlyOnce("IDEM-1011");
		assertRefused(database, "with a secret other than");
	}

	@Test
	@Tag("F17")
	void applicationsThatShareTheTablesHaveSecretsOfTheirOwn() {
		TestDatabase database = MigratedDatabase.create();
		startWithoutServer(database, IDENTITY, "idempotency.namespace=one").close();
		startWithoutServer(database, "idempotency.secret.identity=" + OLD, "idempotency.namespace=two").close();
		assertRefused(database, "'one'", "idempotency.secret.identity=" + OLD, "idempotency.namespace=one");
	}

	private static void assertRefused(TestDatabase database, String message, String... properties) {
		assertThatException().isThrownBy(() -> startWithoutServer(database, properties).close())
			.satisfies((ex) -> assertThat(NestedExceptionUtils.getMostSpecificCause(ex))
				.isInstanceOf(InvalidIdempotentException.class)
				.hasMessageContaining(message));
	}

	/**
	 * Stores compare fingerprints by their bytes before a claim is taken over.
	 */
	@Test
	@Tag("F17")
	@Tag("F23")
	@Tag("P1")
	void afterARotationAnUnfinishedRequestIsResumedByItsSender() {
		TestDatabase database = MigratedDatabase.create();
		String errand = Labelled.json("f17-errand");
		Errands.fail("f17-errand");
		try (RunningApplication application = RunningApplication.start(database, List.of(Errands.class), IDENTITY,
				"idempotency.completer.threads=0", "idempotency.secret.fingerprint=" + OLD)) {
			assertThat(application.post(ALICE, "/errands/home?speed=1", "f17", errand).statusCode()).isEqualTo(500);
		}
		Errands.repair("f17-errand");
		try (RunningApplication application = RunningApplication.start(database, List.of(Errands.class), IDENTITY,
				"idempotency.completer.threads=0", "idempotency.secret.fingerprint=" + NEW,
				"idempotency.secret.earlier-fingerprints=" + OLD)) {
			HttpResponse<byte[]> resumed = application.post(ALICE, "/errands/home?speed=1", "f17", errand);
			assertOriginal(resumed, 201);
			assertThat(application.effects("f17-errand")).isEqualTo(1);
			assertReplay(application.post(ALICE, "/errands/home?speed=1", "f17", errand), resumed);
		}
	}

	@Test
	@Tag("F17")
	void theStartSaysOnceThatThereIsNoSecret(CapturedOutput output) {
		startWithoutServer(MigratedDatabase.create()).close();
		assertThat(output.getOut()).containsOnlyOnce("idempotency.secret.identity");
		try (RunningApplication application = startWithoutServer(MigratedDatabase.create(), IDENTITY)) {
			assertThat(output.getOut()).containsOnlyOnce("idempotency.secret.identity");
		}
		RunningApplication.startWithoutServer(MigratedDatabase.create(), List.of()).close();
		assertThat(output.getOut()).containsOnlyOnce("idempotency.secret.identity");
	}

	@RestController
	static class Payments {

		private final Effects effects;

		Payments(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping("/payments")
		Map<String, String> pay(@RequestBody Labelled payment) {
			return Map.of("id", this.effects.record(payment.label()).getId().toString());
		}

	}

}
