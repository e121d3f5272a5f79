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

import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.server.ResponseStatusException;

import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.ScriptedPhases;
import dev.idempotency.conformance.app.StoreHook;
import dev.idempotency.phase.Phases;
import dev.idempotency.testsupport.FaultyProxy;
import dev.idempotency.testsupport.FaultyProxy.CommitFault;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A step whose commit is not confirmed, in a handler that goes on.
 */
@Tag("postgresql")
@Tag("X24")
class PhaseDoubtTests {

	private static FaultyProxy proxy;

	private static ScriptedPhases scripted;

	private static StoreHook hook;

	@BeforeAll
	static void start() {
		proxy = FaultyProxy.before(MigratedDatabase.create());
		scripted = ScriptedPhases.start(proxy.database(), List.of(StoreHook.class),
				"spring.datasource.hikari.connection-timeout=1000", "idempotency.lease.duration=2s",
				"idempotency.reaper.enabled=false");
		hook = scripted.application().context().getBean(StoreHook.class);
	}

	@AfterEach
	void repair() {
		proxy.repair();
		assertThat(hook.isDone()).isTrue();
		scripted.application().awaitDatabase();
	}

	@AfterAll
	static void stop() {
		scripted.close();
		proxy.close();
	}

	private static void failing(Phases phases, String step, String label, CommitFault fault) {
		phases.atomic(step, () -> {
			scripted.effects().record(label);
			proxy.failNextCommit(fault);
		});
	}

	private static long effects(String label) {
		return scripted.application().effects(label);
	}

	@ParameterizedTest
	@EnumSource(names = { "REPLY_LOST", "REQUEST_LOST" })
	void aStepThatIsCalledAgainInTheSameRunHasOneEffect(CommitFault fault) {
		String label = "again-" + fault;
		HttpResponse<byte[]> answer = scripted.call(label, (phases) -> {
			try {
				failing(phases, "first", label, fault);
			}
			catch (RuntimeException ex) {
				phases.atomic("first", () -> scripted.effects().record(label));
			}
			return phases.finish(() -> "done");
		});
		assertOriginal(answer, 200);
		assertThat(effects(label)).isEqualTo(1);
	}

	@Test
	void aCommittedStepIsNotForgottenByTheNext() {
		AtomicInteger runs = new AtomicInteger();
		HttpResponse<byte[]> first = scripted.call("forgotten", (phases) -> {
			if (runs.incrementAndGet() == 1) {
				try {
					failing(phases, "first", "forgotten", CommitFault.REPLY_LOST);
				}
				catch (RuntimeException ex) {
					// As in a handler that takes the step for optional.
				}
				phases.atomic("second", () -> scripted.effects().record("forgotten-second"));
				throw new ResponseStatusException(org.springframework.http.HttpStatus.SERVICE_UNAVAILABLE);
			}
			phases.atomic("first", () -> scripted.effects().record("forgotten"));
			phases.atomic("second", () -> scripted.effects().record("forgotten-second"));
			return phases.finish(() -> "done");
		});
		assertThat(first.statusCode()).isEqualTo(503);
		HttpResponse<byte[]> retry = await().until(() -> scripted.call("forgotten"),
				(answer) -> answer.statusCode() != 409);
		assertOriginal(retry, 200);
		assertThat(effects("forgotten")).isEqualTo(1);
		assertThat(effects("forgotten-second")).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "next", "finish", "return", "service" })
	void whileAStepIsInDoubtNothingElseOfTheRequestRuns(String next) {
		String label = "doubt-" + next;
		AtomicInteger runs = new AtomicInteger();
		HttpResponse<byte[]> first = scripted.call(label, (phases) -> {
			if (runs.incrementAndGet() > 1) {
				phases.atomic("first", () -> scripted.effects().record(label));
				return phases.finish(() -> "done");
			}
			try {
				failing(phases, "first", label, CommitFault.REPLY_LOST_AND_DOWN);
			}
			catch (RuntimeException ex) {
				// The database comes back, and does not tell.
				proxy.goUp();
				hook.before("progress", () -> {
					proxy.goDown();
					throw new DataAccessResourceFailureException("The database is down");
				});
			}
			return switch (next) {
				case "next" -> {
					phases.atomic("second", () -> scripted.effects().record(label + "-second"));
					yield "second";
				}
				case "finish" -> phases.finish(() -> {
					scripted.effects().record(label + "-second");
					return "finished";
				});
				case "service" -> scripted.effects().record(label + "-second").getLabel();
				default -> "returned";
			};
		});
		assertThat(first.statusCode()).as(new String(first.body())).isGreaterThanOrEqualTo(409);
		hook.clear();
		proxy.goUp();
		scripted.application().awaitDatabase();
		assertThat(effects(label + "-second")).isZero();
		HttpResponse<byte[]> retry = await().until(() -> scripted.call(label), (answer) -> answer.statusCode() < 400);
		assertOriginal(retry, 200);
		assertThat(effects(label)).isEqualTo(1);
		assertReplay(scripted.call(label), retry);
	}

	@Test
	void aCallbackThatFailsAfterTheCommitOfAStepDoesNotRepeatIt() {
		HttpResponse<byte[]> answer = scripted.call("callback", (phases) -> {
			for (int i = 0; i < 2; i++) {
				try {
					phases.atomic("first", () -> {
						scripted.effects().record("callback");
						TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

							@Override
							public void afterCommit() {
								throw new IllegalStateException("too late");
							}

						});
					});
				}
				catch (IllegalStateException ex) {
					// Once more.
				}
			}
			return phases.finish(() -> "done");
		});
		assertOriginal(answer, 200);
		assertThat(effects("callback")).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "before", "after" })
	void aForeignStepWhoseResultIsInDoubtIsNotCalledAgain(String moment) {
		AtomicInteger calls = new AtomicInteger();
		Runnable lost = () -> {
			throw new DataAccessResourceFailureException("The reply is lost");
		};
		HttpResponse<byte[]> answer = scripted.call("foreign-" + moment, (phases) -> {
			for (int i = 0; i < 2; i++) {
				try {
					phases.foreign("charged", Integer.class, (key) -> {
						if (moment.equals("before")) {
							hook.before("advance", lost);
						}
						else {
							hook.after("advance", lost);
						}
						return calls.incrementAndGet();
					});
				}
				catch (RuntimeException ex) {
					// Once more.
				}
			}
			return phases.finish(() -> phases.toString().isEmpty() ? 0 : calls.get());
		});
		assertOriginal(answer, 200);
		assertThat(calls).hasValue(1);
	}

	@Test
	void aLeaseThatWentToSomebodyElseWhileAStepWasInDoubtIsLost() {
		HttpResponse<byte[]> answer = scripted.call("taken", (phases) -> {
			hook.before("progress",
					() -> scripted.application()
						.jdbc()
						.update("update idempotency_lease set fence = fence + 1 where namespace <> ''"));
			failing(phases, "first", "taken", CommitFault.REPLY_LOST);
			return phases.finish(() -> "done");
		});
		assertProblem(answer, 409, "in-progress");
	}

}
