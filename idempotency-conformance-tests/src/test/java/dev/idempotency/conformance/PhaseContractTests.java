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
package dev.idempotency.conformance;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import dev.idempotency.testsupport.DatabaseKind;
import jakarta.persistence.EntityManager;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.idempotency.IdempotencyRequest;
import dev.idempotency.Idempotent;
import dev.idempotency.KeyReusedException;
import dev.idempotency.RequestInterruptedException;
import dev.idempotency.conformance.app.Effect;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.PortableJdbc;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.phase.PhaseOperations;
import dev.idempotency.phase.Phases;
import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.isReplay;
import static dev.idempotency.conformance.app.Exchanges.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What phases promise to the code that is written in them, and demand of it.
 */
class PhaseContractTests {

	private static final Map<String, Function<Phases, Object>> HANDLERS = new ConcurrentHashMap<>();

	private static RunningApplication application;

	private static Effects effects;

	private final AtomicInteger runs = new AtomicInteger();

	@BeforeAll
	static void start() {
		application = RunningApplication.start(Handlers.class, "idempotency.completer.enabled=false",
				"spring.jpa.open-in-view=true");
		effects = application.context().getBean(Effects.class);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@BeforeEach
	void forgetHandlers() {
		HANDLERS.clear();
	}

	private static HttpResponse<byte[]> call(String name, Function<Phases, Object> handler) {
		HANDLERS.put(name, handler);
		return call(name);
	}

	private static HttpResponse<byte[]> call(String name) {
		return application.post(ALICE, "/phases/" + name, name, Labelled.json(name));
	}

	private static String isolation() {
		if (application.database().kind() == DatabaseKind.MARIADB) {
			// It shows transactions as they were up to a tenth of a second ago.
			application.jdbc().queryForObject("select sleep(0.2)", Integer.class);
		}
		String isolation = switch (application.database().kind()) {
			case POSTGRESQL -> "show transaction_isolation";
			case H2, H2_POSTGRESQL ->
				"select isolation_level from information_schema.sessions where session_id = session_id()";
			case MARIADB ->
				"select trx_isolation_level from information_schema.innodb_trx where trx_mysql_thread_id = connection_id()";
		};
		return String.valueOf(application.jdbc().queryForObject(isolation, String.class)).toLowerCase(Locale.ROOT);
	}

	@Test
	void aPhaseIsSerializableUnlessItSaysOtherwise() {
		HttpResponse<byte[]> answer = call("isolation", (phases) -> {
			String first = phases.atomic("first", String.class, PhaseContractTests::isolation);
			Phases committed = phases.isolatedAt(Isolation.READ_COMMITTED);
			String second = committed.atomic("second", String.class, PhaseContractTests::isolation);
			return phases.finish(() -> List.of(first, second, isolation()));
		});
		assertThat(text(answer)).isEqualTo("[\"serializable\",\"read committed\",\"serializable\"]");
	}

	@Test
	@Tag("postgresql")
	void noTransactionIsOpenAroundAForeignCall() {
		HttpResponse<byte[]> answer = call("foreign", (phases) -> {
			phases.atomic("first", () -> effects.record("foreign"));
			boolean open = phases.foreign("second", Boolean.class,
					(key) -> TransactionSynchronizationManager.isActualTransactionActive() || isConnectionTaken());
			return phases.finish(() -> open);
		});
		assertThat(text(answer)).isEqualTo("false");
	}

	private static boolean isConnectionTaken() {
		return Boolean.TRUE.equals(application.jdbc()
			.queryForObject(
					"select count(*) > 0 from pg_stat_activity "
							+ "where datname = current_database() and state like 'idle in transaction%'",
					Boolean.class));
	}

	@Test
	void aPhaseRefusesToBeginInsideOfATransaction() {
		assertOriginal(call("around", (phases) -> transactions().execute((status) -> {
			assertThatExceptionOfType(IllegalTransactionStateException.class)
				.isThrownBy(() -> phases.atomic("first", () -> effects.record("around")))
				.withMessageContaining("a transaction is open");
			assertThatExceptionOfType(IllegalTransactionStateException.class)
				.isThrownBy(() -> phases.foreign("second", String.class, (key) -> key));
			assertThatExceptionOfType(IllegalTransactionStateException.class).isThrownBy(() -> phases.finish(() -> ""));
			return "refused";
		})), 200);
		assertThat(application.effects("around")).isZero();
	}

	@Test
	void phasesDoNotNestAndNothingComesAfterTheLast() {
		assertOriginal(call("order", (phases) -> {
			phases.foreign("outer", String.class, (key) -> {
				assertThatIllegalStateException()
					.isThrownBy(() -> phases.atomic("inner", () -> effects.record("order")))
					.withMessageContaining("do not nest");
				return key;
			});
			Object result = phases.finish(() -> "done");
			assertThatExceptionOfType(IllegalTransactionStateException.class)
				.isThrownBy(() -> phases.atomic("late", () -> effects.record("order")));
			return result;
		}), 200);
		assertThat(application.effects("order")).isZero();
	}

	@Test
	void phasesBelongToARequest() {
		Phases phases = application.context().getBean(Phases.class);
		assertThatIllegalStateException().isThrownBy(() -> phases.atomic("first", () -> effects.record("nobody")))
			.withMessageContaining("belongs to no request");
	}

	@Test
	void aServiceUsesThePhasesOfTheRequestThatItWorksFor() {
		Phases injected = application.context().getBean(Phases.class);
		assertThat(text(call("service", (phases) -> injected.finish(() -> "by a service")))).isEqualTo("by a service");
	}

	@Test
	void aDerivedKeyIsTheSameOnEveryAttemptAndSurvivesTheLossOfTheClaim() {
		List<String> keys = new CopyOnWriteArrayList<>();
		Function<Phases, Object> handler = (phases) -> {
			phases.foreign("one", String.class, (key) -> {
				keys.add(key);
				return key;
			});
			return phases.foreign("two", String.class, (key) -> {
				keys.add(key);
				throw new IllegalStateException("broken");
			});
		};
		assertThat(call("derived", handler).statusCode()).isEqualTo(500);
		application.jdbc().update("delete from idempotency_lease");
		assertThat(call("derived", handler).statusCode()).isEqualTo(500);
		assertThat(keys).hasSize(4).allSatisfy((key) -> assertThat(UUID.fromString(key).version()).isEqualTo(8));
		assertThat(keys.subList(2, 4)).isEqualTo(keys.subList(0, 2));
		assertThat(keys.get(0)).isNotEqualTo(keys.get(1));
	}

	@Test
	void aProviderWithoutIdempotencyIsAskedBeforeItIsCalledAgain() {
		AtomicInteger probes = new AtomicInteger();
		Function<Phases, Object> handler = (phases) -> phases.foreign("charge", String.class, (key) -> {
			this.runs.incrementAndGet();
			throw new RuntimeException(new java.net.SocketTimeoutException());
		}, (key) -> {
			probes.incrementAndGet();
			return Optional.of("charged before");
		});
		assertProblem(call("probe", handler), 503, "interrupted");
		assertThat(probes).hasValue(0);
		assertThat(text(call("probe"))).isEqualTo("charged before");
		assertThat(probes).hasValue(1);
		assertThat(this.runs).hasValue(1);
	}

	/**
	 * Read what {@link #conflict} writes, and write what it reads: of two such
	 * transactions one fails with 40001 when both are SERIALIZABLE.
	 */
	private static void readAndWrite(String label) {
		application.context()
			.getBean(EntityManager.class)
			.createQuery("select count(e) from Effect e where e.label = :label")
			.setParameter("label", label + " of another")
			.getSingleResult();
		effects.recordAndFlush(label);
	}

	private static void conflict(String label) {
		Thread other = new Thread(() -> serializable().executeWithoutResult((status) -> {
			application.jdbc().queryForObject("select count(*) from effect where label = ?", Long.class, label);
			effects.record(label + " of another");
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
		assertOriginal(call("skew-atomic", (phases) -> {
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
		assertThat(application.effects("skew-atomic")).isEqualTo(1);
	}

	@Test
	@Tag("postgresql")
	void aLastPhaseThatCannotBeSerialisedIsTriedAgainAndNotTheOthers() {
		AtomicInteger handlerRuns = new AtomicInteger();
		HttpResponse<byte[]> answer = call("skew-finish", (phases) -> {
			handlerRuns.incrementAndGet();
			phases.atomic("first", () -> effects.record("skew-finish-first"));
			return phases.finish(() -> {
				readAndWrite("skew-finish");
				return new Rendered(this.runs);
			});
		});
		assertOriginal(answer, 200);
		assertThat(text(answer)).isEqualTo("{\"status\":\"done\"}");
		assertThat(this.runs).hasValue(2);
		assertThat(handlerRuns).hasValue(2);
		assertThat(application.effects("skew-finish")).isEqualTo(1);
		assertThat(application.effects("skew-finish-first")).isEqualTo(1);
		assertThat(isReplay(call("skew-finish"))).isTrue();
	}

	@Test
	void aLaterPhaseDoesNotSeeTheEntitiesOfAnEarlierOne() {
		EntityManager entityManager = application.context().getBean(EntityManager.class);
		assertThat(text(call("stale", (phases) -> {
			UUID id = phases.atomic("first", UUID.class, () -> effects.record("stale").getId());
			phases.atomic("read", () -> entityManager.find(Effect.class, id));
			application.jdbc().update("update effect set label = 'fresh' where id = ?", id);
			return phases.finish(() -> entityManager.find(Effect.class, id).getLabel());
		}))).isEqualTo("fresh");
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@Tag("P6")
	void aRequestOfAnotherVersionIsLeftAlone(boolean finished) {
		String name = "version-" + finished;
		Function<Phases, Object> other = (phases) -> {
			phases.atomic("common", () -> effects.record(name));
			phases.atomic("of another version", () -> effects.record(name + "-other"));
			return phases.finish(() -> {
				if (this.runs.incrementAndGet() == 1) {
					throw new IllegalStateException("the other node dies");
				}
				return "done";
			});
		};
		Function<Phases, Object> own = (phases) -> {
			phases.atomic("common", () -> effects.record(name));
			if (!finished) {
				phases.atomic("of this version", () -> effects.record(name + "-own"));
			}
			return phases.finish(() -> "not done");
		};
		assertThat(call(name, other).statusCode()).isEqualTo(500);
		double reported = unknownSteps();
		assertProblem(call(name, own), 503, "interrupted");
		assertThat(unknownSteps()).isEqualTo(reported + 1);
		assertThat(application.effects(name + "-own")).isZero();
		assertThat(text(call(name, other))).isEqualTo("done");
		assertThat(application.effects(name)).isEqualTo(1);
		assertThat(application.effects(name + "-other")).isEqualTo(1);
	}

	private static double unknownSteps() {
		return application.context()
			.getBean(MeterRegistry.class)
			.get("idempotency.unknown.steps")
			.tag("operation", "POST /phases/{name}")
			.counter()
			.count();
	}

	@Test
	void aResultThatCannotBeReadAgainFailsThePhaseAndNotTheRetry() {
		assertThat(call("unreadable", (phases) -> phases.atomic("first", Thread.class, () -> {
			effects.record("unreadable");
			return new Thread();
		})).statusCode()).isEqualTo(500);
		assertThat(application.effects("unreadable")).isZero();
		assertThat(application.jdbc().queryForList("select * from idempotency_lease where recovery_point is null"))
			.isEmpty();
	}

	@Test
	void workOfAServiceIsResumedByCallingItAgain() {
		PhaseOperations operations = application.context().getBean(PhaseOperations.class);
		IdempotencyRequest request = IdempotencyRequest.of("invoice.pay", "service-1").withContent(Map.of("amount", 5));
		Function<Phases, String> work = (phases) -> {
			phases.atomic("first", () -> effects.record("service-work"));
			phases.foreign("second", String.class, (key) -> {
				if (this.runs.incrementAndGet() == 1) {
					throw new java.io.IOException("unavailable");
				}
				return key;
			});
			return phases.finish(() -> "paid");
		};
		assertThatExceptionOfType(RequestInterruptedException.class)
			.isThrownBy(() -> operations.execute(request, String.class, work));
		assertThat(operations.execute(request, String.class, work)).isEqualTo("paid");
		assertThat(operations.execute(request, String.class, (phases) -> "not called")).isEqualTo("paid");
		assertThat(application.effects("service-work")).isEqualTo(1);
		assertThatExceptionOfType(KeyReusedException.class)
			.isThrownBy(() -> operations.execute(request.withContent(Map.of("amount", 6)), String.class, work));
		assertThatExceptionOfType(IllegalTransactionStateException.class).isThrownBy(
				() -> transactions().executeWithoutResult((status) -> operations.execute(request, String.class, work)));
	}

	@Test
	@Tag("C3")
	void aDuplicateOfAPhaseThatOutlivesItsLeaseIsToldAtOnce() {
		assertOriginal(call("slow", (phases) -> {
			phases.atomic("first", () -> {
				expireLeaseByItself();
				assertProblem(call("slow"), 409, "in-progress");
				effects.record("slow");
			});
			return phases.finish(() -> "done");
		}), 200);
		assertThat(application.effects("slow")).isEqualTo(1);
	}

	/**
	 * The claim that the phase holds as it is after a phase that is longer than its
	 * lease: the row is locked by the phase, so the phase itself sets the time.
	 */
	private static void expireLeaseByItself() {
		assertThat(application.context()
			.getBean(EntityManager.class)
			.createNativeQuery(PortableJdbc.translate(application.database().kind(),
					"update idempotency_lease set lease_until = clock_timestamp() - interval '1 hour'"))
			.executeUpdate()).isPositive();
	}

	private static TransactionTemplate transactions() {
		return new TransactionTemplate(application.context().getBean(PlatformTransactionManager.class));
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

	@RestController
	static class Handlers {

		@Idempotent
		@PostMapping("/phases/{name}")
		Object run(@PathVariable String name, @RequestBody Labelled body, Phases phases) {
			return HANDLERS.get(name).apply(phases);
		}

	}

}
