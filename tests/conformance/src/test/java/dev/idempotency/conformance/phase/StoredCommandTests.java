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
package dev.idempotency.conformance.phase;

import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.idempotency.conformance.app.Errands;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.NamedCallers;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.conformance.app.SharedApplications;
import dev.idempotency.operator.UnfinishedRequests;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.isReplay;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The stored parts of a request until it has an answer.
 */
class StoredCommandTests {

	private static final String[] ENCRYPTED = { "idempotency.codec.type=aes-gcm", "idempotency.codec.keys.one="
			+ Base64.getEncoder().encodeToString("a key that has thirty-two bytes.".getBytes(StandardCharsets.UTF_8)) };

	private static final String LABEL = "readable-errand";

	private static final String KEY = "a-key-that-is-a-secret";

	private static final String OFF = "idempotency.completer.threads=0";

	private static final String CREDENTIALS = Base64.getEncoder()
		.encodeToString("alice:alice".getBytes(StandardCharsets.UTF_8));

	@RegisterExtension
	static final SharedApplications APPLICATIONS = new SharedApplications();

	@Test
	@Tag("P4")
	void itHasNoCredentialAndNoKey() {
		RunningApplication application = APPLICATIONS.get(Errands.class, OFF);
		interrupt(application);
		String row = row(application);
		assertThat(row).contains(LABEL);
		assertThat(row).doesNotContain(CREDENTIALS).doesNotContain("Basic").doesNotContainIgnoringCase("cookie");
		assertThat(row).doesNotContain("secret");
	}

	@Test
	@Tag("P4")
	@Tag("Y6")
	void withAnEncryptingCodecNothingOfItIsReadableAndItIsCompletedAllTheSame() {
		TestDatabase database = MigratedDatabase.create();
		try (RunningApplication application = RunningApplication.start(database, List.of(Errands.class),
				with(ENCRYPTED, OFF))) {
			interrupt(application);
			String row = row(application);
			assertThat(row).doesNotContain(LABEL).doesNotContain("alice").doesNotContain("application/json");
			assertThat(row).doesNotContain("/errands/home").doesNotContain(CREDENTIALS);
			UnfinishedRequests requests = application.context().getBean(UnfinishedRequests.class);
			assertThat(requests.export(requests.open(1).get(0).id()).orElseThrow().toString()).contains(LABEL);
		}
		Errands.repair(LABEL);
		try (RunningApplication application = RunningApplication.start(database, List.of(Errands.class),
				with(ENCRYPTED, "idempotency.completer.after=0", "idempotency.completer.interval=20ms"))) {
			await().until(() -> application.records() == 1);
			assertThat(isReplay(send(application))).isTrue();
		}
	}

	private static String[] with(String[] some, String... more) {
		return Stream.concat(Arrays.stream(some), Arrays.stream(more)).toArray(String[]::new);
	}

	@Test
	@Tag("Y11")
	void aFormIsStoredWithoutItsKeyItsTokensAndWhatTheApplicationNames() {
		try (RunningApplication application = RunningApplication.start(List.of(Errands.class), OFF,
				"idempotency.completer.excluded-parameters=pin")) {
			Errands.fail("y11-stored");
			assertThat(sendForm(application, "y11-stored", "").statusCode()).isEqualTo(500);
			String row = row(application);
			assertThat(row).contains("y11-stored").contains("kept").contains("query=too");
			assertThat(row).doesNotContain("secret").doesNotContain(KEY).doesNotContain("_csrf");
			assertThat(row).doesNotContain("access_token").doesNotContain("_idempotency_key").doesNotContain("pin");
		}
	}

	@Test
	@Tag("Y11")
	void otherFieldsAreStoredAsTheyWereSent() {
		RunningApplication application = APPLICATIONS.get(Errands.class, OFF);
		Errands.fail("y11-others");
		assertThat(sendForm(application, "y11-others", "").statusCode()).isEqualTo(500);
		assertThat(row(application)).contains("pin").contains("secret-3");
	}

	@Test
	@Tag("Y11")
	void whatWasLeftOutOfAFormIsNotNeededToCompleteIt() {
		try (RunningApplication application = RunningApplication.start(List.of(Errands.class),
				"idempotency.completer.after=0", "idempotency.completer.interval=20ms")) {
			Errands.failOnce("y11-completed");
			assertThat(sendForm(application, "y11-completed", "").statusCode()).isEqualTo(500);
			await().until(() -> application.records() == 1);
			assertThat(isReplay(sendForm(application, "y11-completed", ""))).isTrue();
		}
	}

	@Test
	@Tag("Y11")
	void theKeyOfAFormIsNotReadFromTheQuery() {
		RunningApplication application = APPLICATIONS.get(Errands.class, OFF);
		for (String name : List.of("_idempotency_key", "%5Fidempotency_key")) {
			assertProblem(application.send(form(application, "&" + name + "=" + KEY, "label=y11-query&text=a")), 400,
					"missing-key");
		}
		assertThat(application.effects("y11-query")).isZero();
		String query = "&%5Fidempotency_key=in-the-query";
		assertThat(sendForm(application, "y11-query", query).statusCode()).isEqualTo(201);
		assertThat(isReplay(sendForm(application, "y11-query", query))).isTrue();
		assertProblem(sendForm(application, "y11-other", query), 422, "key-reused");
	}

	@Test
	@Tag("P13")
	void nothingIsStoredWhereTheCompleterIsSwitchedOff() {
		RunningApplication application = APPLICATIONS.get(Errands.class, "idempotency.completer.enabled=false");
		interrupt(application);
		assertThat(row(application)).doesNotContain(LABEL).doesNotContain("/errands/home").doesNotContain("alice");
	}

	@Test
	@Tag("P13")
	void nothingButTheSenderIsStoredOfASenderForWhomTheCompleterDoesNotAct() {
		try (RunningApplication application = RunningApplication.start(List.of(Vault.class), OFF)) {
			Vault.FAILING.add("p13-token");
			NamedCallers.register("p13-token", () -> ApiToken.of("merchant", "", "ROLE_CUSTOMER"));
			assertThat(application
				.send(application.anonymous("/open/vault?reference=of-the-order")
					.header(NamedCallers.HEADER, "p13-token")
					.header("Idempotency-Key", "p13-token")
					.header("Content-Type", "application/json")
					.POST(BodyPublishers
						.ofString(Labelled.json("p13-token").replace("}", ",\"more\":\"in-the-body\"}"))))
				.statusCode()).isEqualTo(500);
			assertThat(row(application)).contains(ApiToken.class.getName())
				.doesNotContain("of-the-order")
				.doesNotContain("in-the-body");
		}
	}

	@Test
	@Tag("P13")
	void aRequestWithAnExcludedMemberIsNotStoredAndIsLeftToItsSender() {
		try (RunningApplication application = RunningApplication.start(List.of(Errands.class),
				"idempotency.completer.after=0", "idempotency.completer.interval=20ms",
				"idempotency.completer.exclude-pointers=/card/cvc")) {
			String body = Labelled.json(LABEL).replace("}", ",\"card\":{\"CVC\":\"9876\"}}");
			HttpRequest.Builder request = application.json("alice", "/errands/home?speed=1", body)
				.header("Idempotency-Key", KEY);
			Errands.fail(LABEL);
			assertThat(application.send(request).statusCode()).isEqualTo(500);
			Errands.repair(LABEL);
			UnfinishedRequests requests = application.context().getBean(UnfinishedRequests.class);
			await().until(() -> !requests.stuck(1).isEmpty());
			assertThat(requests.stuck(1).get(0).lastError()).contains("exclude-pointers");
			assertThat(row(application)).doesNotContain("9876").doesNotContain(LABEL);
			assertThat(application.send(request).statusCode()).isEqualTo(201);
		}
	}

	@Test
	@Tag("P13")
	void theContentOfAStuckRequestIsErasedInTime() {
		try (RunningApplication application = RunningApplication.start(List.of(Errands.class),
				"idempotency.completer.after=0", "idempotency.completer.interval=20ms",
				"idempotency.completer.max-attempts=1", "idempotency.reaper.interval=50ms",
				"idempotency.reaper.keep-stuck-requests=100ms")) {
			Errands.fail(LABEL);
			assertThat(send(application).statusCode()).isEqualTo(500);
			UnfinishedRequests requests = application.context().getBean(UnfinishedRequests.class);
			await().until(() -> !requests.stuck(1).isEmpty()
					&& requests.export(requests.stuck(1).get(0).id()).orElseThrow().command() == null);
			assertThat(row(application)).doesNotContain("/errands/home").doesNotContain("application/json");
			assertThat(requests.stuck(1).get(0).recoveryPoint()).isEqualTo("begun");
			Errands.repair(LABEL);
		}
	}

	private static HttpResponse<byte[]> sendForm(RunningApplication application, String label, String query) {
		return application.send(form(application, query, "label=" + label
				+ "&text=kept&_csrf=secret-1&access_token=secret-2&pin=secret-3&_idempotency_key=" + KEY));
	}

	private static HttpRequest.Builder form(RunningApplication application, String query, String body) {
		return application.request("alice", "/errand-forms?query=too&access_token=secret-4&%5Fcsrf=secret-5" + query)
			.header("Content-Type", "application/x-www-form-urlencoded")
			.header("X-CSRF-TOKEN", "secret-6")
			.POST(BodyPublishers.ofString(body));
	}

	private static void interrupt(RunningApplication application) {
		Errands.fail(LABEL);
		assertThat(send(application).statusCode()).isEqualTo(500);
	}

	private static HttpResponse<byte[]> send(RunningApplication application) {
		return application.send(application.json("alice", "/errands/home?speed=1", Labelled.json(LABEL))
			.header("Cookie", "session=secret")
			.header("X-Api-Token", "secret")
			.header("Idempotency-Key", KEY));
	}

	/**
	 * All columns of the only lease, each byte as a character.
	 */
	private static String row(RunningApplication application) {
		Map<String, Object> row = application.jdbc()
			.queryForMap("select * from idempotency_lease where namespace <> ''");
		StringBuilder text = new StringBuilder();
		row.values()
			.forEach((value) -> text
				.append((value instanceof byte[] bytes) ? new String(bytes, StandardCharsets.ISO_8859_1) : value)
				.append('\n'));
		return text.toString();
	}

}
