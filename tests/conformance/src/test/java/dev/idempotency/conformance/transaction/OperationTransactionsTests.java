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
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Gates;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.exception.KeyReusedException;

import static dev.idempotency.conformance.app.Responses.assertProblem;
import static dev.idempotency.conformance.app.Responses.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Annotated methods of beans in the transaction of their caller, and in their own.
 */
class OperationTransactionsTests {

	private static RunningApplication application;

	private static OperationCommands commands;

	private String label = "";

	@BeforeAll
	static void start() {
		application = RunningApplication.start(Beans.class);
		commands = application.context().getBean(OperationCommands.class);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@BeforeEach
	void chooseLabel() {
		this.label = UUID.randomUUID().toString();
	}

	private long effects() {
		return application.effects(this.label);
	}

	private static TransactionTemplate transaction() {
		return new TransactionTemplate(application.context().getBean(PlatformTransactionManager.class));
	}

	@Test
	void theEffectAndTheRecordAreRolledBackWithTheCaller() {
		transaction().executeWithoutResult((status) -> {
			commands.run(this.label);
			status.setRollbackOnly();
		});
		assertThat(effects()).isZero();
		commands.run(this.label);
		assertThat(effects()).isEqualTo(1);
	}

	@Test
	void theEffectAndTheRecordAreCommittedWithTheCaller() {
		String first = transaction().execute((status) -> commands.run(this.label));
		assertThat(commands.run(this.label)).isEqualTo(first);
		assertThat(effects()).isEqualTo(1);
	}

	@Test
	void aReplayLeavesTheCallersTransactionAlone() {
		String first = commands.run(this.label);
		transaction().executeWithoutResult((status) -> {
			assertThat(commands.run(this.label)).isEqualTo(first);
			application.context().getBean(Effects.class).record(this.label);
		});
		assertThat(effects()).isEqualTo(2);
	}

	@Test
	void withinOneTransactionTheSecondCallIsAReplayOfTheFirst() {
		transaction()
			.executeWithoutResult((status) -> assertThat(commands.run(this.label)).isEqualTo(commands.run(this.label)));
		assertThat(effects()).isEqualTo(1);
	}

	@Test
	@Tag("X14")
	void anExceptionThatTheCallerSwallowsRollsBackTheCaller() {
		assertThatExceptionOfType(UnexpectedRollbackException.class)
			.isThrownBy(() -> transaction().executeWithoutResult((status) -> {
				application.context().getBean(Effects.class).record(this.label);
				assertThatIllegalStateException().isThrownBy(() -> commands.fail(this.label));
			}));
		assertThat(effects()).isZero();
		commands.run(this.label);
		assertThat(effects()).isEqualTo(1);
	}

	@Test
	void aReadOnlyCallerIsRefusedBeforeTheWorkRuns() {
		TransactionTemplate readOnly = transaction();
		readOnly.setReadOnly(true);
		assertThatExceptionOfType(IllegalTransactionStateException.class)
			.isThrownBy(() -> readOnly.execute((status) -> commands.run(this.label)))
			.withMessageContaining("Commands#run")
			.withMessageContaining("read-only");
		assertThat(commands.invocations(this.label)).isZero();
	}

	@Test
	void anotherOperationWithTheSameKeyInsideOfARunningOneIsRefused() {
		assertThatExceptionOfType(KeyReusedException.class).isThrownBy(() -> commands.runAnother(this.label));
		assertThatIllegalStateException().isThrownBy(() -> commands.runItself(this.label))
			.withMessageContaining("calls itself");
		assertThat(effects()).isZero();
		assertThat(commands.run(this.label)).isEqualTo(commands.run(this.label));
	}

	@Test
	void insideOfAnAnnotatedControllerBothAnswersCommitTogether() {
		String path = "/commands?label=" + this.label;
		HttpResponse<byte[]> failed = application.post(ALICE, path + "&fail=true", this.label, "");
		assertThat(failed.statusCode()).isEqualTo(500);
		assertThat(effects()).isZero();
		long records = application.records();
		String key = this.label + "-2";
		HttpResponse<byte[]> first = application.post(ALICE, path, key, "");
		HttpResponse<byte[]> second = application.post(ALICE, path, key, "");
		assertThat(first.statusCode()).isEqualTo(200);
		assertThat(second.body()).isEqualTo(first.body());
		assertThat(second.headers().firstValue("Idempotent-Replayed")).contains("true");
		assertThat(application.records()).isEqualTo(records + 2);
		HttpResponse<byte[]> otherKey = application.post(ALICE, path, this.label + "-3", "");
		assertThat(otherKey.body()).isEqualTo(first.body());
		assertThat(effects()).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/commands", "/leased-commands" })
	@Tag("X2")
	void aControllerWhoseOperationRunsElsewhereIsNotAnsweredForGood(String path) throws Exception {
		Gates gates = application.context().getBean(Gates.class);
		CompletableFuture<HttpResponse<byte[]>> other = CompletableFuture
			.supplyAsync(() -> application.post(ALICE, "/held-commands?label=" + this.label, this.label, ""));
		gates.awaitReached(this.label);
		String target = path + "?label=" + this.label;
		HttpResponse<byte[]> busy = application.post(ALICE, target, this.label + "-4", "");
		gates.open(this.label);
		String id = text(other.get(30, TimeUnit.SECONDS));
		assertProblem(busy, 409, "in-progress");
		HttpResponse<byte[]> retry = application.post(ALICE, target, this.label + "-4", "");
		assertThat(retry.statusCode()).isEqualTo(200);
		assertThat(text(retry)).isEqualTo(id);
		assertThat(effects()).isEqualTo(1);
	}

	/**
	 * As in a {@code @TransactionalEventListener}: the transaction is still bound to the
	 * thread, but nothing in it is committed any more.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void inATransactionThatHasEndedNothingRuns(boolean completed) {
		AtomicReference<Throwable> refusal = new AtomicReference<>();
		transaction().executeWithoutResult((status) -> {
			application.context().getBean(Effects.class).record(this.label + "-other");
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCommit() {
					if (!completed) {
						refusal.set(catchThrowable(() -> commands.run(OperationTransactionsTests.this.label)));
					}
				}

				@Override
				public void afterCompletion(int status) {
					if (completed) {
						refusal.set(catchThrowable(() -> commands.run(OperationTransactionsTests.this.label)));
					}
				}

			});
		});
		assertThat(refusal.get()).isInstanceOf(IllegalTransactionStateException.class)
			.hasMessageContaining("OperationCommands#run")
			.hasMessageContaining("has ended")
			.hasMessageContaining("REQUIRES_NEW");
		assertThat(commands.invocations(this.label)).isZero();
		commands.run(this.label);
		assertThat(effects()).isEqualTo(1);
	}

	@Test
	void aCallFromWithinTheSameObjectIsNotIntercepted() {
		commands.callOwn(this.label);
		commands.callOwn(this.label);
		assertThat(effects()).isEqualTo(2);
	}

	static class Beans {

		@Bean
		OperationCommands commands(Effects effects, ObjectProvider<OperationCommands> self) {
			return new OperationCommands(effects, self);
		}

		@Bean
		CommandController commandController(OperationCommands commands, Gates gates) {
			return new CommandController(commands, gates);
		}

		@Bean
		Gates gates() {
			return new Gates();
		}

	}

	@RestController
	static class CommandController {

		private final OperationCommands commands;

		private final Gates gates;

		CommandController(OperationCommands commands, Gates gates) {
			this.commands = commands;
			this.gates = gates;
		}

		@Idempotent
		@PostMapping("/commands")
		String command(@RequestParam String label, @RequestParam(defaultValue = "false") boolean fail) {
			String result = this.commands.run(label);
			if (fail) {
				throw new IllegalStateException("after the command");
			}
			return result;
		}

		@Transactional
		@PostMapping("/held-commands")
		public String heldCommand(@RequestParam String label) {
			String result = this.commands.run(label);
			this.gates.pass(label);
			return result;
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/leased-commands")
		String leasedCommand(@RequestParam String label) {
			return this.commands.run(label);
		}

	}

}
