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

import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.IdempotencyRequest;
import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Leftovers;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.phase.PhaseOperations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Operations without a request that begin a transaction and never end it.
 */
@Tag("postgresql")
@Tag("X18")
@ExtendWith(OutputCaptureExtension.class)
class LeakedOperationTests {

	private static RunningApplication application;

	private final String label = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		application = RunningApplication.start(List.of(Commands.class), "spring.datasource.hikari.maximum-pool-size=5",
				"spring.datasource.hikari.connection-timeout=3000");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	enum Entry {

		ASPECT {

			@Override
			void leak(String label, String key) {
				application.context().getBean(Commands.class).leak(label, key);
			}

		},
		OPERATIONS {

			@Override
			void leak(String label, String key) {
				application.context()
					.getBean(IdempotencyOperations.class)
					.execute(request(key), String.class, () -> application.context().getBean(Leak.class).leak(label));
			}

		},
		PHASES {

			@Override
			void leak(String label, String key) {
				application.context()
					.getBean(PhaseOperations.class)
					.execute(request(key), String.class,
							(phases) -> application.context().getBean(Leak.class).leak(label));
			}

		};

		abstract void leak(String label, String key);

		private static IdempotencyRequest request(String key) {
			return IdempotencyRequest.of("leaks", key);
		}

	}

	@ParameterizedTest
	@EnumSource
	void aTransactionThatIsNeverEndedIsRolledBackAndReported(Entry entry, CapturedOutput output) {
		for (int i = 0; i < 6; i++) {
			String key = this.label + i;
			assertThatExceptionOfType(InvalidIdempotentException.class).isThrownBy(() -> entry.leak(this.label, key))
				.withMessageContaining("has begun a transaction and has not ended it");
			assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
			assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
		}
		assertThat(application.effects("leaked-" + this.label)).isZero();
		assertThat(output.getOut().lines()).anySatisfy((line) -> assertThat(line).contains("ERROR", "[IDEM-1312]"));
		Leftovers.assertNone(application);
	}

	@Test
	void aTransactionThatIsLeftOpenByAFailureIsRolledBack() {
		Commands commands = application.context().getBean(Commands.class);
		assertThatIllegalStateException().isThrownBy(() -> commands.leakAndFail(this.label))
			.withMessage("after the leak");
		assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
		assertThat(application.effects("leaked-" + this.label)).isZero();
		Leftovers.assertNone(application);
	}

	@Test
	void theTransactionOfTheCallerIsLeftAlone() {
		Commands commands = application.context().getBean(Commands.class);
		Effects effects = application.context().getBean(Effects.class);
		assertThatExceptionOfType(UnexpectedRollbackException.class)
			.isThrownBy(() -> new TransactionTemplate(application.context().getBean(PlatformTransactionManager.class))
				.executeWithoutResult((status) -> {
					effects.record(this.label);
					assertThatExceptionOfType(InvalidIdempotentException.class)
						.isThrownBy(() -> commands.leak(this.label, this.label));
					assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isTrue();
				}));
		assertThat(application.effects(this.label)).isZero();
		assertThat(application.effects("leaked-" + this.label)).isZero();
		Leftovers.assertNone(application);
	}

	@Test
	void aResourceThatBelongsToTheCallersTransactionStaysBound() {
		Commands commands = application.context().getBean(Commands.class);
		new TransactionTemplate(application.context().getBean(PlatformTransactionManager.class))
			.executeWithoutResult((status) -> {
				commands.bind(this.label);
				assertThat(TransactionSynchronizationManager.getResource(this.label)).isNotNull();
				TransactionSynchronizationManager.unbindResource(this.label);
			});
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	static class Leak {

		private static final DefaultTransactionDefinition REQUIRES_NEW = new DefaultTransactionDefinition(
				TransactionDefinition.PROPAGATION_REQUIRES_NEW);

		private final Effects effects;

		private final PlatformTransactionManager transactionManager;

		Leak(Effects effects, PlatformTransactionManager transactionManager) {
			this.effects = effects;
			this.transactionManager = transactionManager;
		}

		String leak(String label) {
			this.effects.record(label);
			this.transactionManager.getTransaction(REQUIRES_NEW);
			this.effects.recordAndFlush("leaked-" + label);
			return label;
		}

	}

	@org.springframework.context.annotation.Import(Leak.class)
	static class Commands {

		private final Leak leak;

		private final Effects effects;

		Commands(Leak leak, Effects effects) {
			this.leak = leak;
			this.effects = effects;
		}

		@Idempotent(key = "#key")
		Map<String, String> leak(String label, String key) {
			return Map.of("label", this.leak.leak(label));
		}

		@Idempotent(key = "#p0")
		void leakAndFail(String label) {
			this.leak.leak(label);
			throw new IllegalStateException("after the leak");
		}

		@Idempotent(key = "#p0")
		void bind(String label) {
			TransactionSynchronizationManager.bindResource(label,
					new org.springframework.transaction.support.ResourceHolderSupport() {
					});
			this.effects.record(label);
		}

	}

}
