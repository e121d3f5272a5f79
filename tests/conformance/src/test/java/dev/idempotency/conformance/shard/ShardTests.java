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
package dev.idempotency.conformance.shard;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import dev.idempotency.account.Account;
import dev.idempotency.conformance.app.Actuator;
import dev.idempotency.conformance.app.Gates;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.conformance.shard.ShardApplication.Sender;
import dev.idempotency.job.StagedJobs;
import dev.idempotency.job.StagedJobs.DeadJob;
import dev.idempotency.operator.AccountPurge;
import dev.idempotency.operator.AccountPurge.Unfinished;
import dev.idempotency.operator.UnfinishedRequest;
import dev.idempotency.operator.UnfinishedRequests;
import dev.idempotency.operator.UnfinishedRequests.AbandonedAnswer;
import dev.idempotency.operator.UnfinishedRequests.ExportedRequest;
import dev.idempotency.outbox.FailingEvent;
import dev.idempotency.outbox.Outbox;
import dev.idempotency.testsupport.JavaProcess;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.Exchanges.isReplay;
import static dev.idempotency.conformance.app.Exchanges.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static dev.idempotency.conformance.app.RunningApplication.BOB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Two accounts at home on two servers: whatever is done for a request, on whichever
 * thread and by whichever node, is done on the server of its account.
 */
@Tag("postgresql")
@Tag("processes")
@Tag("X29")
class ShardTests {

	private static final List<String> CALLERS = List.of(ALICE, BOB);

	private static TwoServers servers;

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		servers = new TwoServers();
		application = ShardApplication.start(servers.north(), servers.south());
	}

	@AfterAll
	static void stop() {
		application.close();
		servers.close();
	}

	private static HttpResponse<byte[]> post(String caller, String path, String label) {
		return application.post(caller, path, "key-" + label.replace(' ', '-'), Labelled.json(label));
	}

	@ParameterizedTest
	@ValueSource(strings = { "/transactional", "/leased", "/callable", "/phases" })
	void recordAndBusinessRowAreOnTheShardOfTheAccount(String path) {
		String label = "request " + path;
		for (String caller : CALLERS) {
			long before = servers.count(caller, "idempotency_record");
			HttpResponse<byte[]> first = post(caller, path, label);
			assertOriginal(first, 201);
			assertReplay(post(caller, path, label), first);
			assertThat(servers.payments(caller, label)).isEqualTo(1);
			assertThat(servers.count(caller, "idempotency_record")).isEqualTo(before + 1);
			assertThat(servers.of(caller).queryForObject("select id from payment where label = ?", String.class, label))
				.isSubstringOf(text(first));
			assertThat(servers.count(caller, "idempotency_lease where operation = 'POST " + path + "'")).isZero();
		}
	}

	@Test
	void heartbeatsExtendTheLeasesOfBothShards() {
		Gates gates = application.context().getBean(Gates.class);
		Map<String, CompletableFuture<HttpResponse<byte[]>>> running = Map.of(ALICE, gated(ALICE), BOB, gated(BOB));
		CALLERS.forEach((caller) -> gates.awaitReached("gated " + caller));
		for (String caller : CALLERS) {
			String ofRunning = "idempotency_lease where operation = 'POST /gated'";
			Timestamp first = servers.of(caller)
				.queryForObject("select lease_until from " + ofRunning, Timestamp.class);
			await().until(() -> servers.of(caller)
				.queryForObject(
						"select clock_timestamp() > ? and bool_and(lease_until > clock_timestamp()) from " + ofRunning,
						Boolean.class, first));
			assertThat(post(caller, "/gated", "gated " + caller).statusCode()).isEqualTo(409);
		}
		running.forEach((caller, response) -> {
			gates.open("gated " + caller);
			assertOriginal(response.join(), 201);
			assertThat(servers.payments(caller, "gated " + caller)).isEqualTo(1);
		});
	}

	private static CompletableFuture<HttpResponse<byte[]>> gated(String caller) {
		return CompletableFuture.supplyAsync(() -> post(caller, "/gated", "gated " + caller));
	}

	@Test
	void requestsOfAKilledNodeAreCompletedByAnotherOneEachOnItsShard() {
		try (JavaProcess node = ShardApplication.startProcess(servers.north(), servers.south())) {
			int port = Integer.parseInt(node.awaitLine("STARTED ").trim());
			HttpClient client = HttpClient.newHttpClient();
			CALLERS.forEach((caller) -> client.sendAsync(application.json(caller, "/phases", Labelled.json("killed"))
				.uri(URI.create("http://127.0.0.1:" + port + "/phases"))
				.header("Idempotency-Key", "key-killed")
				.build(), BodyHandlers.discarding()));
			CALLERS.forEach((caller) -> node.awaitLine(ShardApplication.HALF_WAY));
			node.kill();
		}
		for (String caller : CALLERS) {
			await().until(() -> servers.count(caller, "idempotency_lease where operation = 'POST /phases'") == 0);
			HttpResponse<byte[]> retry = post(caller, "/phases", "killed");
			assertThat(retry.statusCode()).isEqualTo(201);
			assertThat(isReplay(retry)).isTrue();
			assertThat(servers.payments(caller, "killed")).isEqualTo(1);
			assertThat(servers.of(caller).queryForObject("select id from payment where label = 'killed'", String.class))
				.isSubstringOf(text(retry));
		}
	}

	@Test
	void theReaperDeletesOnBothShardsByTheirClocks() {
		for (String caller : CALLERS) {
			post(caller, "/transactional", "expired");
			servers.of(caller)
				.update("update idempotency_record set expires_at = clock_timestamp() where expires_at < "
						+ "clock_timestamp() + interval '1 year' and id = (select id from idempotency_record "
						+ "where operation = 'POST /transactional' order by finished_at desc limit 1)");
		}
		CALLERS.forEach((caller) -> await()
			.until(() -> servers.count(caller, "idempotency_record where expires_at <= clock_timestamp()") == 0));
		for (String caller : CALLERS) {
			assertOriginal(post(caller, "/transactional", "expired"), 201);
			assertThat(servers.payments(caller, "expired")).isEqualTo(2);
		}
	}

	@Test
	void jobsAndEventsOfBothShardsAreRunAndRelayed() {
		for (String caller : CALLERS) {
			assertThat(post(caller, "/staged", "staged " + caller).statusCode()).isEqualTo(201);
		}
		Queue<String> sent = application.context().getBean(Sender.class).sent();
		for (String caller : CALLERS) {
			await().until(() -> servers.payments(caller, "job staged " + caller) == 1);
			await().until(() -> servers.count(caller, "idempotency_outbox where type = 'Labelled'") == 0);
			assertThat(sent).contains("staged " + caller + " " + Labelled.json("staged " + caller));
			assertThat(servers.count(caller, "idempotency_job where task_name <> ''")).isZero();
		}
	}

	@Test
	void operatorsSeeAndChangeWhatBothShardsCouldNotDo() {
		StagedJobs jobs = application.context().getBean(StagedJobs.class);
		Outbox outbox = application.context().getBean(Outbox.class);
		for (String caller : List.of(BOB, ALICE)) {
			assertThat(post(caller, "/failing", "failing " + caller).statusCode()).isEqualTo(201);
		}
		await().until(() -> jobs.dead(10).size() == 2 && outbox.failing(10).size() == 2);
		assertThat(outbox.failing(10)).extracting(FailingEvent::key).containsExactly("failing bob", "failing alice");
		assertThat(outbox.failing(1)).extracting(FailingEvent::key).containsExactly("failing bob");
		assertThat(outbox.backlog(1)).hasSize(1);
		for (DeadJob dead : jobs.dead(10)) {
			jobs.discard(dead.id());
		}
		for (FailingEvent failing : outbox.failing(10)) {
			outbox.discard(failing.id());
		}
		for (String caller : CALLERS) {
			assertThat(servers.count(caller, "idempotency_dead_job")).isZero();
			assertThat(servers.count(caller, "idempotency_outbox")).isZero();
		}
	}

	@Test
	void operatorsFindAbandonAndCountTheRequestsOfBothShards() {
		UnfinishedRequests requests = application.context().getBean(UnfinishedRequests.class);
		for (String caller : CALLERS) {
			assertThat(post(caller, "/stuck", "stuck").statusCode()).isEqualTo(500);
		}
		List<UnfinishedRequest> open = requests.open(10);
		assertThat(open).hasSize(2).isSortedAccordingTo((a, b) -> a.createdAt().compareTo(b.createdAt()));
		assertThat(open).extracting(UnfinishedRequest::account).doesNotHaveDuplicates();
		assertThat(requests.open(1)).extracting(UnfinishedRequest::id).containsExactly(open.get(0).id());
		assertThat(requests.open(10, open.get(0).position())).extracting(UnfinishedRequest::id)
			.containsExactly(open.get(1).id());
		JsonNode summary = new Actuator(application).get("idempotency");
		assertThat(summary.path("running").asInt() + summary.path("waiting").asInt() + summary.path("stuck").asInt())
			.isEqualTo(2);
		assertThat(Stream.of(0, 1)
			.map((index) -> requests.export(open.get(index).id()).map(ExportedRequest::command).orElseThrow())
			.map((command) -> (command != null) ? command.account().id() : ""))
			.containsExactlyInAnyOrder("alice", "bob");
		for (UnfinishedRequest request : open) {
			await().until(() -> requests.abandon(request.id(), AbandonedAnswer.problem(410, "{}")));
			assertThat(requests.find(request.id())).isEmpty();
			new Actuator(application).get("idempotency/" + request.id());
		}
		for (String caller : CALLERS) {
			assertThat(post(caller, "/stuck", "stuck").statusCode()).isEqualTo(410);
			assertThat(servers.count(caller, "idempotency_lease where operation = 'POST /stuck'")).isZero();
		}
	}

	@Test
	void theGuideShowsTheClassesThatAreTestedHere() throws IOException {
		String guide = Files.readString(Path.of("../../docs/operations/scaling.md"));
		for (String file : List.of("AccountShards.java", "ShardFilter.java", "ShardedDatabase.java")) {
			String source = Files.readString(Path.of("src/test/java/dev/idempotency/conformance/shard", file));
			String type = source.substring(source.indexOf("\n/**", source.indexOf("import ")) + 1);
			assertThat(guide).contains("```java\n" + type + "```");
		}
	}

	@Test
	void anAccountIsPurgedOnItsShard() {
		CALLERS.forEach((caller) -> post(caller, "/transactional", "purged"));
		AccountPurge.Result result = application.context()
			.getBean(AccountPurge.class)
			.purge(Account.of(BOB), Unfinished.REFUSE);
		assertThat(result.answers()).isPositive();
		assertThat(servers.count(BOB, "idempotency_record where operation = 'POST /transactional'")).isZero();
		assertThat(servers.count(ALICE, "idempotency_record where operation = 'POST /transactional'")).isPositive();
	}

}
