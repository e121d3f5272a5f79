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
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import jakarta.persistence.EntityManager;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import dev.idempotency.conformance.app.Effect;
import dev.idempotency.conformance.app.ScriptedPhases;
import dev.idempotency.phase.Phases;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.isReplay;
import static dev.idempotency.conformance.app.Exchanges.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Phases and their transactions: which one a phase has, who else has none, and what
 * becomes of two that cannot be serialised.
 */
class PhaseTransactionTests {

	private static ScriptedPhases scripted;

	private final AtomicInteger runs = new AtomicInteger();

	@BeforeAll
	static void start() {
		scripted = ScriptedPhases.start();
	}

	@AfterAll
	static void stop() {
		scripted.close();
	}

	private static String isolation() {
		String isolation = switch (scripted.application().database().kind()) {
			case POSTGRESQL -> "show transaction_isolation";
			case H2, H2_POSTGRESQL ->
				"select isolation_level from information_schema.sessions where session_id = session_id()";
		};
		return String.valueOf(scripted.application().jdbc().queryForObject(isolation, String.class))
			.toLowerCase(Locale.ROOT);
	}

	@Test
	void aPhaseIsSerializableUnlessItSaysOtherwise() {
		HttpResponse<byte[]> answer = scripted.call("isolation", (phases) -> {
			String first = phases.atomic("first", String.class, PhaseTransactionTests::isolation);
			Phases committed = phases.isolatedAt(Isolation.READ_COMMITTED);
			String second = committed.atomic("second", String.class, PhaseTransactionTests::isolation);
			return phases.finish(() -> List.of(first, second, isolation()));
		});
		assertThat(text(answer)).isEqualTo("[\"serializable\",\"read committed\",\"serializable\"]");
	}

	@Test
	@Tag("postgresql")
	void noTransactionIsOpenAroundAForeignCall() {
		HttpResponse<byte[]> answer = scripted.call("foreign", (phases) -> {
			phases.atomic("first", () -> scripted.effects().record("foreign"));
			boolean open = phases.foreign("second", Boolean.class,
					(key) -> TransactionSynchronizationManager.isActualTransactionActive() || isConnectionTaken());
			return phases.finish(() -> open);
		});
		assertThat(text(answer)).isEqualTo("false");
	}

	private static boolean isConnectionTaken() {
		return Boolean.TRUE.equals(scripted.application()
			.jdbc()
			.queryForObject(
					"select count(*) > 0 from pg_stat_activity "
							+ "where datname = current_database() and state like 'idle in transaction%'",
					Boolean.class));
	}

	@Test
	void aPhaseRefusesToBeginInsideOfATransaction() {
		assertOriginal(scripted.call("around", (phases) -> transactions().execute((status) -> {
			assertThatExceptionOfType(IllegalTransactionStateException.class)
				.isThrownBy(() -> phases.atomic("first", () -> scripted.effects().record("around")))
				.withMessageContaining("a transaction is open");
			assertThatExceptionOfType(IllegalTransactionStateException.class)
				.isThrownBy(() -> phases.foreign("second", String.class, (key) -> key));
			assertThatExceptionOfType(IllegalTransactionStateException.class).isThrownBy(() -> phases.finish(() -> ""));
			return "refused";
		})), 200);
		assertThat(scripted.application().effects("around")).isZero();
	}

	/**
	 * Reads the row that {@link #conflict} writes, and writes the one that it reads: of
	 * two such transactions one fails with 40001 when both are SERIALIZABLE.
	 */
	private static void readAndWrite(String label) {
		scripted.application().effects(label + " of another");
		scripted.effects().recordAndFlush(label);
	}

	private static void conflict(String label) {
		Thread other = new Thread(() -> serializable().executeWithoutResult((status) -> {
			scripted.application()
				.jdbc()
				.queryForObject("select count(*) from effect where label = ?", Long.class, label);
			scripted.effects().record(label + " of another");
		}));
		other.start();
		join(other);
	}

	private static void join(Thread thread) {
		try {
			thread.join();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	@Tag("postgresql")
	void aPhaseThatCannotBeSerialisedIsTriedAgainByItself() {
		AtomicInteger handlerRuns = new AtomicInteger();
		assertOriginal(scripted.call("skew-atomic", (phases) -> {
			handlerRuns.incrementAndGet();
			phases.atomic("first", () -> {
				readAndWrite("skew-atomic");
				if (this.runs.incrementAndGet() == 1) {
					conflict("skew-atomic");
				}
			});
			return phases.finish(() -> "done");
		}), 200);
		assertThat(this.runs).hasValue(2);
		assertThat(handlerRuns).hasValue(1);
		assertThat(scripted.application().effects("skew-atomic")).isEqualTo(1);
	}

	@Test
	@Tag("postgresql")
	void aLastPhaseThatCannotBeSerialisedIsTriedAgainAndNotTheOthers() {
		AtomicInteger handlerRuns = new AtomicInteger();
		HttpResponse<byte[]> answer = scripted.call("skew-finish", (phases) -> {
			handlerRuns.incrementAndGet();
			phases.atomic("first", () -> scripted.effects().record("skew-finish-first"));
			return phases.finish(() -> {
				readAndWrite("skew-finish");
				return new Rendered(this.runs);
			});
		});
		assertOriginal(answer, 200);
		assertThat(text(answer)).isEqualTo("{\"status\":\"done\"}");
		assertThat(this.runs).hasValue(2);
		assertThat(handlerRuns).hasValue(2);
		assertThat(scripted.application().effects("skew-finish")).isEqualTo(1);
		assertThat(scripted.application().effects("skew-finish-first")).isEqualTo(1);
		assertThat(isReplay(scripted.call("skew-finish"))).isTrue();
	}

	@Test
	@Tag("jpa")
	void aLaterPhaseDoesNotSeeTheEntitiesOfAnEarlierOne() {
		assertThat(text(scripted.call("stale", (phases) -> {
			UUID id = phases.atomic("first", UUID.class, () -> scripted.effects().record("stale").getId());
			phases.atomic("read", () -> find(id));
			scripted.application().jdbc().update("update effect set label = 'fresh' where id = ?", id);
			return phases.finish(() -> find(id).getLabel());
		}))).isEqualTo("fresh");
	}

	private static Effect find(UUID id) {
		return scripted.application().context().getBean(EntityManager.class).find(Effect.class, id);
	}

	@Test
	@Tag("C3")
	void aDuplicateOfAPhaseThatOutlivesItsLeaseIsToldAtOnce() {
		assertOriginal(scripted.call("slow", (phases) -> {
			phases.atomic("first", () -> {
				expireLeaseByItself();
				assertProblem(scripted.call("slow"), 409, "in-progress");
				scripted.effects().record("slow");
			});
			return phases.finish(() -> "done");
		}), 200);
		assertThat(scripted.application().effects("slow")).isEqualTo(1);
	}

	/**
	 * The claim that the phase holds as it is after a phase that is longer than its
	 * lease: the row is locked by the phase, so the phase itself sets the time.
	 */
	private static void expireLeaseByItself() {
		assertThat(scripted.application()
			.jdbc()
			.update("update idempotency_lease set lease_until = clock_timestamp() - interval '1 hour' where namespace <> ''"))
			.isPositive();
	}

	private static TransactionTemplate transactions() {
		return new TransactionTemplate(scripted.application().context().getBean(PlatformTransactionManager.class));
	}

	private static TransactionTemplate serializable() {
		TransactionTemplate template = transactions();
		template.setIsolationLevel(TransactionDefinition.ISOLATION_SERIALIZABLE);
		return template;
	}

	/**
	 * An answer during whose rendering somebody else gets in between.
	 *
	 * @param runs how often it was rendered
	 */
	record Rendered(@JsonIgnore AtomicInteger runs) {

		@JsonProperty
		String status() {
			if (this.runs.incrementAndGet() == 1) {
				conflict("skew-finish");
			}
			return "done";
		}

	}

}
