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

import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import dev.idempotency.conformance.app.Errands;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.operator.UnfinishedRequest;
import dev.idempotency.operator.UnfinishedRequest.State;
import dev.idempotency.operator.UnfinishedRequests;
import dev.idempotency.operator.UnfinishedRequests.AbandonedResponse;
import dev.idempotency.operator.UnfinishedRequests.ExportedRequest;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.isReplay;
import static dev.idempotency.conformance.app.Exchanges.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The completer brings to their end what clients do not come back for, on nodes that
 * live.
 */
class CompleterTests {

	private static final String[] EAGER = { "idempotency.completer.interval=20ms", "idempotency.completer.after=0",
			"idempotency.completer.max-attempts=3", "idempotency.reaper.interval=50ms" };

	private static TestDatabase database;

	private static RunningApplication application;

	private static UnfinishedRequests requests;

	@BeforeAll
	static void start() {
		database = MigratedDatabase.create();
		application = RunningApplication.start(database, List.of(Errands.class), EAGER);
		requests = application.context().getBean(UnfinishedRequests.class);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	@Tag("P4")
	void anErrandThatNobodyRepeatsIsCompletedAsTheSameUserInTheSameSurroundings() {
		HttpResponse<byte[]> reference = errand("straight", "straight");
		assertOriginal(reference, 201);
		Errands.failOnce("crooked");
		assertThat(errand("crooked", "crooked").statusCode()).isEqualTo(500);
		awaitCompleted("crooked");
		HttpResponse<byte[]> retry = errand("crooked", "crooked");
		assertThat(isReplay(retry)).isTrue();
		assertThat(retry.statusCode()).isEqualTo(201);
		assertThat(told(retry)).isEqualTo(told(reference).replace("straight", "crooked"));
		assertThat(retry.headers().firstValue("Location")).isEqualTo(reference.headers().firstValue("Location"));
		assertThat(retry.headers().firstValue("Content-Type"))
			.isEqualTo(reference.headers().firstValue("Content-Type"));
		assertThat(application.effects("crooked")).isEqualTo(1);
		assertThat(application.effects("crooked done")).isEqualTo(1);
	}

	private static String told(HttpResponse<byte[]> response) {
		return text(response).replaceAll("\"id\":\"[^\"]*\"", "");
	}

	@Test
	@Tag("P4")
	void aFormIsRepeatedWithItsFieldsAndItsCharacters() {
		Errands.failOnce("form");
		assertThat(form("form").statusCode()).isEqualTo(500);
		awaitCompleted("form");
		HttpResponse<byte[]> retry = form("form");
		assertThat(isReplay(retry)).isTrue();
		assertThat(text(retry)).contains("\"text\":\"gr\u00fcn & \u20ac\"").contains("\"query\":\"\u00e4\"");
	}

	private static HttpResponse<byte[]> form(String label) {
		String body = "label=" + label + "&text=" + URLEncoder.encode("gr\u00fcn & \u20ac", StandardCharsets.UTF_8);
		return application.send(application.request(ALICE, "/errand-forms?query=%C3%A4")
			.header("Content-Type", "application/x-www-form-urlencoded")
			.header("Idempotency-Key", label)
			.POST(BodyPublishers.ofString(body)));
	}

	@Test
	@Tag("P4")
	void aFinalFailureOfTheHandlerIsStored() {
		assertStoredFailure("/declined-errands", 402, "declined");
	}

	@Test
	@Tag("P4")
	void aFinalFailureOfTheErrorPageIsStored() {
		assertStoredFailure("/gone-errands", 410, "\"path\":\"/gone-errands\"");
	}

	private static void assertStoredFailure(String path, int status, String body) {
		String label = "final" + status;
		Errands.failOnce(label);
		assertThat(send(ALICE, path, label).statusCode()).isEqualTo(500);
		awaitCompleted(label);
		HttpResponse<byte[]> retry = send(ALICE, path, label);
		assertThat(isReplay(retry)).isTrue();
		assertThat(retry.statusCode()).isEqualTo(status);
		assertThat(text(retry)).contains(body);
		assertThat(application.effects(label)).isEqualTo(1);
	}

	@Test
	@Tag("P4")
	void thePathsOfTheServletAndOfTheApplicationAreTheSameAsBefore() {
		String[] paths = { "server.servlet.context-path=/app", "spring.mvc.servlet.path=/api" };
		try (RunningApplication nested = RunningApplication.start(List.of(Errands.class),
				Stream.concat(Stream.of(EAGER), Stream.of(paths)).toArray(String[]::new))) {
			String path = "/app/api/errands/a%20home?speed=3";
			HttpResponse<byte[]> reference = nested.post(ALICE, path, "nested", Labelled.json("nested"));
			assertOriginal(reference, 201);
			Errands.failOnce("inside");
			assertThat(nested.post(ALICE, path, "inside", Labelled.json("inside")).statusCode()).isEqualTo(500);
			await().until(() -> nested.records() == 2);
			HttpResponse<byte[]> retry = nested.post(ALICE, path, "inside", Labelled.json("inside"));
			assertThat(isReplay(retry)).isTrue();
			assertThat(told(retry)).isEqualTo(told(reference).replace("nested", "inside"));
			assertThat(retry.headers().firstValue("Location")).isEqualTo(reference.headers().firstValue("Location"));
			Errands.failOnce("page");
			String gone = "/app/api/gone-errands";
			assertThat(nested.post(ALICE, gone, "page", Labelled.json("page")).statusCode()).isEqualTo(500);
			await().until(() -> nested.records() == 3);
			HttpResponse<byte[]> page = nested.post(ALICE, gone, "page", Labelled.json("page"));
			assertThat(isReplay(page)).isTrue();
			assertThat(page.statusCode()).isEqualTo(410);
			assertThat(text(page)).contains("\"path\":\"" + gone + "\"");
		}
	}

	@Test
	@Tag("P5")
	void anErrandThatAlwaysFailsWaitsForAHumanWhoLetsItGoOn() {
		Errands.fail("stubborn");
		assertThat(errand("stubborn", "stubborn").statusCode()).isEqualTo(500);
		UnfinishedRequest stuck = awaitStuck("stubborn");
		assertThat(stuck.state()).isEqualTo(State.STUCK);
		assertThat(stuck.operation()).isEqualTo("POST /errands/{place}");
		assertThat(stuck.recoveryPoint()).isEqualTo("begun");
		assertThat(stuck.attempts()).isEqualTo(4);
		assertThat(stuck.effects()).isFalse();
		assertThat(stuck.stuckAt()).isNotNull();
		assertThat(stuck.lastError()).contains("IllegalStateException").doesNotContain("secret");
		assertThat(requests.find(stuck.id())).contains(stuck);
		HttpResponse<byte[]> refused = errand("stubborn", "stubborn");
		assertProblem(refused, 409, "stuck");
		assertThat(refused.headers().firstValue("Retry-After")).isEmpty();
		Errands.repair("stubborn");
		assertThat(requests.retry(stuck.id())).isTrue();
		awaitCompleted("stubborn");
		assertThat(isReplay(errand("stubborn", "stubborn"))).isTrue();
		assertThat(requests.retry(stuck.id())).isFalse();
		assertThat(requests.find(stuck.id())).isEmpty();
	}

	@Test
	void anOperatorGivesARequestUpWithAnAnswerThatItsSenderGets() {
		Errands.fail("hopeless");
		assertThat(errand("hopeless", "hopeless").statusCode()).isEqualTo(500);
		UnfinishedRequest stuck = awaitStuck("hopeless");
		assertThat(requests.abandon(stuck.id(), AbandonedResponse.problem(422, "{\"title\":\"refunded by hand\"}")))
			.isTrue();
		HttpResponse<byte[]> retry = errand("hopeless", "hopeless");
		assertThat(isReplay(retry)).isTrue();
		assertThat(retry.statusCode()).isEqualTo(422);
		assertThat(retry.headers().firstValue("Content-Type")).contains("application/problem+json");
		assertThat(text(retry)).isEqualTo("{\"title\":\"refunded by hand\"}");
		assertThat(requests.abandon(stuck.id(), AbandonedResponse.problem(422, "{}"))).isFalse();
	}

	@Test
	void anOperatorSeesEverythingThatIsKnownOfARequestButNoCredential() {
		Errands.fail("exported");
		assertThat(errand("exported", "exported").statusCode()).isEqualTo(500);
		UnfinishedRequest stuck = awaitStuck("exported");
		ExportedRequest exported = requests.export(stuck.id()).orElseThrow();
		assertThat(exported.request()).isEqualTo(stuck);
		assertThat(exported.steps()).containsOnlyKeys("begun");
		assertThat(exported.steps().get("begun")).startsWith("\"").endsWith("\"");
		ExportedRequest.Command command = exported.command();
		assertThat(command).isNotNull();
		assertThat(command.account().id()).isEqualTo(ALICE);
		assertThat(command.kind()).isEqualTo("http");
		assertThat(command.content()).containsEntry("method", "POST")
			.containsEntry("uri", "/errands/home")
			.containsEntry("query", "speed=3")
			.containsEntry("body", Labelled.json("exported"));
		assertThat(command.content().toString()).doesNotContain("Basic").doesNotContain("YWxpY2");
	}

	@Test
	@Tag("P4")
	void twoNodesNeverRunOneErrandTwiceAtATime() {
		List<String> labels = IntStream.range(0, 12).mapToObj((i) -> "shared-" + i).toList();
		try (RunningApplication second = RunningApplication.start(database, List.of(Errands.class), EAGER)) {
			labels.forEach((label) -> {
				Errands.failOnce(label);
				assertThat(errand(label, label).statusCode()).isEqualTo(500);
			});
			labels.forEach(CompleterTests::awaitCompleted);
		}
		assertThat(labels).allSatisfy((label) -> {
			assertThat(application.effects(label)).isEqualTo(1);
			assertThat(application.effects(label + " done")).isEqualTo(1);
		});
		assertThat(Errands.overlapping()).isEmpty();
	}

	@Test
	@Tag("P4")
	void theCompleterAndARetryAtTheSameMomentMakeOneEffect() {
		for (int i = 0; i < 10; i++) {
			String label = "race-" + i;
			Errands.failOnce(label);
			assertThat(errand(label, label).statusCode()).isEqualTo(500);
			List<Integer> statuses = new ArrayList<>();
			await().until(() -> {
				statuses.add(errand(label, label).statusCode());
				return statuses.get(statuses.size() - 1) == 201;
			});
			assertThat(statuses).isSubsetOf(201, 409);
			awaitCompleted(label);
			assertThat(application.effects(label)).isEqualTo(1);
			assertThat(application.effects(label + " done")).isEqualTo(1);
		}
	}

	private static HttpResponse<byte[]> errand(String key, String label) {
		return application.send(application.json(ALICE, "/errands/home?speed=3", Labelled.json(label))
			.header("Accept-Language", "de-AT")
			.header("Idempotency-Key", key));
	}

	private static HttpResponse<byte[]> send(String user, String path, String label) {
		return application.post(user, path, label, Labelled.json(label));
	}

	/**
	 * Only the body distinguishes open requests.
	 */
	private static void awaitCompleted(String label) {
		await().untilAsserted(() -> assertThat(open(label)).isEmpty());
	}

	private static UnfinishedRequest awaitStuck(String label) {
		await().untilAsserted(() -> assertThat(open(label)).hasSize(1)
			.allSatisfy((request) -> assertThat(request.state()).isEqualTo(State.STUCK)));
		return open(label).get(0);
	}

	private static List<UnfinishedRequest> open(String label) {
		return requests.open(1000)
			.stream()
			.filter((request) -> requests.export(request.id())
				.map((exported) -> String.valueOf(exported.command()).contains(label))
				.orElse(false))
			.toList();
	}

}
