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
package dev.idempotency.conformance.replay;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.cache.CacheManager;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;

import dev.idempotency.IdempotencyNotification.ReplaySource;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.ReplaySources;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.engine.ResponseCache;
import dev.idempotency.store.Identity;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.Exchanges.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Replays from the memory of a node.
 */
class LocalCacheTests {

	private static RunningApplication application;

	private static ReplaySources sources;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(List.of(CachedPayments.class, ReplaySources.class),
				"idempotency.cache.local.enabled=true", "idempotency.reaper.enabled=false", "idempotency.ttl=2h");
		sources = application.context().getBean(ReplaySources.class);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@BeforeEach
	void empty() {
		CachedPayments.TIME.reset();
		cache().clear();
		application.jdbc().update("delete from idempotency_record");
		sources.take();
	}

	@AfterEach
	void restoreRoles() {
		roles("USER", "PAYER");
	}

	private static void roles(String... roles) {
		application.context()
			.getBean(InMemoryUserDetailsManager.class)
			.updateUser(User.withUsername(ALICE).password("{noop}alice").roles(roles).build());
	}

	private static void endLife(String interval) {
		application.jdbc()
			.update("update idempotency_record set expires_at = clock_timestamp() + interval '" + interval + "'");
	}

	/**
	 * Of the only record in the table.
	 */
	private static Identity identity() {
		return application.jdbc()
			.queryForObject("select id, account from idempotency_record",
					(row, index) -> new Identity(row.getBytes(1), row.getBytes(2)));
	}

	private static ResponseCache cache() {
		return application.context().getBean(ResponseCache.class);
	}

	@Test
	@Tag("R1")
	void aReplayFromMemoryIsTheOneFromTheDatabase() {
		HttpResponse<byte[]> first = application.post("/payments", "r1");
		assertOriginal(first, 201);
		HttpResponse<byte[]> fromMemory = application.post("/payments", "r1");
		cache().clear();
		HttpResponse<byte[]> fromDatabase = application.post("/payments", "r1");
		assertReplay(fromMemory, first);
		assertReplay(fromDatabase, first);
		assertThat(fromMemory.headers().map().keySet()).isEqualTo(fromDatabase.headers().map().keySet());
		assertThat(fromMemory.headers().firstValue("X-Kind")).contains("payment");
		assertReplay(application.post("/payments", "r1"), first);
		assertThat(sources.take()).containsExactly(ReplaySource.LOCAL, ReplaySource.DATABASE, ReplaySource.LOCAL);
		assertThat(application.effects("r1")).isEqualTo(1);
	}

	@Test
	@Tag("T1")
	void afterTheEndOfItsLifeTheRequestRunsAgain() {
		HttpResponse<byte[]> first = application.post("/payments", "t1");
		CachedPayments.TIME.pass(Duration.ofHours(2).minusMinutes(5));
		endLife("5 minutes");
		assertReplay(application.post("/payments", "t1"), first);
		CachedPayments.TIME.pass(Duration.ofMinutes(5));
		endLife("0 s");
		HttpResponse<byte[]> second = application.post("/payments", "t1");
		assertOriginal(second, 201);
		assertReplay(application.post("/payments", "t1"), second);
		assertThat(sources.take()).containsExactly(ReplaySource.LOCAL, ReplaySource.DATABASE);
		assertThat(application.effects("t1")).isEqualTo(2);
	}

	@Test
	@Tag("T1")
	void whatIsReadFromTheDatabaseIsKeptForWhatIsLeftOfItsLife() {
		HttpResponse<byte[]> first = application.post("/payments", "left");
		cache().clear();
		endLife("5 minutes");
		assertReplay(application.post("/payments", "left"), first);
		assertReplay(application.post("/payments", "left"), first);
		assertThat(sources.take()).containsExactly(ReplaySource.DATABASE, ReplaySource.LOCAL);
		CachedPayments.TIME.pass(Duration.ofMinutes(5));
		assertReplay(application.post("/payments", "left"), first);
		assertThat(sources.take()).containsExactly(ReplaySource.DATABASE);
	}

	@Test
	@Tag("postgresql")
	@Tag("X11")
	void anAnswerWhoseCommitFailsIsNotKept() {
		application.database().execute("""
				create table deferred_unique (name text, constraint uk_deferred unique (name)
					deferrable initially deferred)""");
		application.jdbc().update("insert into deferred_unique values ('x11')");
		assertThat(application.post("/deferred", "x11").statusCode()).isEqualTo(500);
		application.jdbc().update("delete from deferred_unique");
		HttpResponse<byte[]> retry = application.post("/deferred", "x11");
		assertOriginal(retry, 200);
		assertReplay(application.post("/deferred", "x11"), retry);
	}

	@Test
	@Tag("X1")
	void anAnswerThatIsNotFinalIsNotKept() {
		assertThat(application.post("/failing", "x1").statusCode()).isEqualTo(503);
		assertOriginal(application.post("/failing", "x1"), 200);
	}

	/**
	 * The second call reads what the first has written, before the commit that does not
	 * come.
	 */
	@Test
	void whatTheTransactionOfACallerReadsOfItsOwnIsKeptAfterItsCommit() {
		assertThat(application.post("/twice?end=rollback", "own").statusCode()).isEqualTo(500);
		assertThat(application.effects("own")).isZero();
		assertThat(text(application.post("/twice?end=commit", "own"))).isEqualTo("2 2");
		assertThat(application.effects("own")).isEqualTo(1);
		assertThat(text(application.post("/twice?end=commit", "own"))).isEqualTo("2 2");
		assertThat(sources.take()).containsExactly(ReplaySource.DATABASE, ReplaySource.DATABASE, ReplaySource.LOCAL,
				ReplaySource.LOCAL);
	}

	@Test
	void whatCannotBeReplayedIsKnownFromMemoryToo() {
		assertOriginal(application.post("/once", "once"), 200);
		application.jdbc().update("delete from idempotency_record");
		assertProblem(application.post("/once", "once"), 409, "not-replayable");
	}

	@Test
	void anAnswerOverTheLimitIsReadFromTheDatabase() {
		HttpResponse<byte[]> first = application.post("/large", "large");
		assertReplay(application.post("/large", "large"), first);
		assertReplay(application.post("/large", "large"), first);
		assertThat(sources.take()).containsExactly(ReplaySource.DATABASE, ReplaySource.DATABASE);
	}

	@Test
	void whatIsPurgedRunsAgain() {
		assertOriginal(application.post("/payments", "purged"), 201);
		Identity identity = identity();
		application.jdbc().update("delete from idempotency_record");
		cache().evict(identity);
		assertOriginal(application.post("/payments", "purged"), 201);
		assertThat(application.effects("purged")).isEqualTo(2);
	}

	@Test
	@Tag("Y2")
	void aCallerWhoseRoleWasRevokedGetsNothingFromMemory() {
		HttpResponse<byte[]> first = application.post("/payments", "y2");
		assertReplay(application.post("/payments", "y2"), first);
		roles("USER");
		HttpResponse<byte[]> refused = application.post("/payments", "y2");
		assertThat(refused.statusCode()).isEqualTo(403);
		assertThat(text(refused)).doesNotContain("\"id\"");
		roles("USER", "PAYER");
		assertReplay(application.post("/payments", "y2"), first);
		assertThat(sources.take()).containsOnly(ReplaySource.LOCAL);
	}

	@Test
	@Tag("S1")
	void aKeyOfAnotherCallerIsAnother() {
		assertOriginal(application.post(ALICE, "/failing", "s1", Labelled.json("s1")), 503);
		HttpResponse<byte[]> first = application.post(ALICE, "/failing", "s1", Labelled.json("s1"));
		HttpResponse<byte[]> others = application.post(RunningApplication.BOB, "/failing", "s1", Labelled.json("s1"));
		assertOriginal(first, 200);
		assertOriginal(others, 200);
		assertThat(others.body()).isNotEqualTo(first.body());
	}

	@Test
	@Tag("O7")
	void theCachesOfTheApplicationAreItsOwn() {
		CacheManager own = application.context().getBean(CacheManager.class);
		application.post("/payments", "o7");
		assertThat(own.getCacheNames()).isEmpty();
	}

}
