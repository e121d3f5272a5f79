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
package dev.idempotency.conformance.transaction;

import java.net.http.HttpResponse;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.transaction.annotation.Transactional;

import dev.idempotency.conformance.app.Exchanges;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The handler has made its 201, and then the commit fails. Each failure is repaired by
 * the test, after which the same request runs.
 */
@Tag("postgresql")
class CommitFailureTests {

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(FailingCommits.class);
		application.database().execute("""
				create table deferred_unique (name text, constraint uk_deferred unique (name)
					deferrable initially deferred);
				create table direct_unique (name text unique);
				create table unserializable (name text);
				create function refuse() returns trigger language plpgsql as $$
				begin
					if exists (select 1 from refusal where name = new.name) then
						raise exception 'could not serialize access' using errcode = '40001';
					end if;
					return null;
				end $$;
				create table refusal (name text);
				create constraint trigger refuse after insert on unserializable
					deferrable initially deferred for each row execute function refuse()""");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	private static void assertNothingStays(String label, long records) {
		assertThat(application.effects(label)).isZero();
		assertThat(application.records()).isEqualTo(records);
	}

	@Test
	@Tag("X11")
	void aDeferredConstraintThatFailsAtTheCommitIsNoSuccessAndIsNotStored() {
		application.jdbc().update("insert into deferred_unique values ('deferred')");
		long records = application.records();
		HttpResponse<byte[]> failed = application.post("/deferred", "deferred");
		assertOriginal(failed, 409);
		assertThat(Exchanges.text(failed)).isEqualTo("conflict");
		assertNothingStays("deferred", records);
		application.jdbc().update("delete from deferred_unique where name = 'deferred'");
		HttpResponse<byte[]> retry = application.post("/deferred", "deferred");
		assertOriginal(retry, 201);
		assertReplay(application.post("/deferred", "deferred"), retry);
		assertThat(application.effects("deferred")).isEqualTo(1);
	}

	@Test
	@Tag("X11")
	void theSameConflictFoundBeforeTheCommitIsABusinessAnswerAndIsStored() {
		application.jdbc().update("insert into direct_unique values ('direct')");
		HttpResponse<byte[]> conflict = application.post("/direct", "direct");
		assertOriginal(conflict, 409);
		application.jdbc().update("delete from direct_unique where name = 'direct'");
		assertReplay(application.post("/direct", "direct"), conflict);
		assertThat(application.effects("direct")).isZero();
	}

	@Test
	@Tag("X11")
	void aSerializationFailureAtTheCommitIsNoSuccessAndIsNotStored() {
		application.jdbc().update("insert into refusal values ('serialization')");
		long records = application.records();
		assertOriginal(application.post("/serializable", "serialization"), 503);
		assertNothingStays("serialization", records);
		application.jdbc().update("delete from refusal");
		assertOriginal(application.post("/serializable", "serialization"), 201);
		assertThat(application.effects("serialization")).isEqualTo(1);
	}

	@Test
	@Tag("X11")
	void aTransactionThatIsMarkedRollbackOnlyIsNoSuccessAndIsNotStored() {
		long records = application.records();
		application.jdbc().update("insert into refusal values ('rollback-only')");
		assertOriginal(application.post("/rollback-only", "rollback-only"), 500);
		assertNothingStays("rollback-only", records);
		application.jdbc().update("delete from refusal");
		assertOriginal(application.post("/rollback-only", "rollback-only"), 201);
		assertThat(application.effects("rollback-only")).isEqualTo(1);
	}

	@Test
	@Tag("X11")
	void aCallbackThatVetoesTheCommitIsNoSuccessAndIsNotStored() {
		long records = application.records();
		application.jdbc().update("insert into refusal values ('veto')");
		assertOriginal(application.post("/veto", "veto"), 500);
		assertNothingStays("veto", records);
		application.jdbc().update("delete from refusal");
		assertOriginal(application.post("/veto", "veto"), 201);
		assertThat(application.effects("veto")).isEqualTo(1);
	}

	@Test
	@Tag("X11")
	void aCallbackThatFailsAfterTheCommitDoesNotTurnASuccessIntoAFailure() {
		HttpResponse<byte[]> first = application.post("/after-commit", "after-commit");
		assertOriginal(first, 201);
		assertReplay(application.post("/after-commit", "after-commit"), first);
		assertThat(application.effects("after-commit")).isEqualTo(1);
	}

	@Test
	@Tag("X14")
	void anExceptionThatIsSwallowedAfterAnInnerTransactionIsAnErrorAndPoisonsNoKey() {
		long records = application.records();
		application.jdbc().update("insert into refusal values ('swallowed')");
		assertOriginal(application.post("/swallowed", "swallowed"), 500);
		assertNothingStays("swallowed", records);
		application.jdbc().update("delete from refusal");
		HttpResponse<byte[]> retry = application.post("/swallowed", "swallowed");
		assertOriginal(retry, 201);
		assertReplay(application.post("/swallowed", "swallowed"), retry);
		assertThat(application.effects("swallowed")).isEqualTo(1);
	}

	/**
	 * A service whose rollback is not the controller's decision.
	 */
	static class Ledger {

		@Transactional
		public void post(boolean refused) {
			if (refused) {
				throw new IllegalStateException("refused");
			}
		}

	}

}
