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

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import dev.idempotency.IdempotencyRequest;
import dev.idempotency.conformance.app.ScriptedPhases;
import dev.idempotency.exception.KeyReusedException;
import dev.idempotency.exception.RequestInterruptedException;
import dev.idempotency.phase.PhaseOperations;
import dev.idempotency.phase.Phases;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The guarantees of phases for the code in them, and their demands on it.
 */
class PhaseContractTests {

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

	@Test
	void phasesDoNotNestAndNothingComesAfterTheLast() {
		assertOriginal(scripted.call("order", (phases) -> {
			phases.foreign("outer", String.class, (key) -> {
				assertThatIllegalStateException()
					.isThrownBy(() -> phases.atomic("inner", () -> scripted.effects().record("order")))
					.withMessageContaining("do not nest");
				return key;
			});
			Object result = phases.finish(() -> "done");
			assertThatExceptionOfType(IllegalTransactionStateException.class)
				.isThrownBy(() -> phases.atomic("late", () -> scripted.effects().record("order")));
			return result;
		}), 200);
		assertThat(scripted.application().effects("order")).isZero();
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void aSecondStepOfOneNameHasTheResultOfTheFirstAndIsReported(CapturedOutput output) {
		assertThat(text(scripted.call("twice", (phases) -> {
			int first = phases.atomic("each", Integer.class, () -> 1);
			int second = phases.atomic("each", Integer.class, () -> 2);
			return phases.finish(() -> first + " " + second);
		}))).isEqualTo("1 1");
		assertThat(output).contains("[IDEM-1316] The step 'each' is reached again");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void aServiceThatIsRepeatedAfterAFailedStepPassesThoseThatAreDone(CapturedOutput output) {
		assertOriginal(scripted.call("repeated", (phases) -> {
			while (true) {
				try {
					phases.atomic("first", () -> scripted.effects().record("repeated"));
					phases.foreign("second", String.class, (key) -> {
						if (this.runs.incrementAndGet() == 1) {
							throw new IllegalArgumentException("the first time");
						}
						return key;
					});
					return phases.finish(() -> "done");
				}
				catch (IllegalArgumentException ex) {
					// Again, as a service with @Retryable does.
				}
			}
		}), 200);
		assertThat(scripted.application().effects("repeated")).isEqualTo(1);
		assertThat(output).doesNotContain("IDEM-1316");
	}

	@Test
	void phasesBelongToARequest() {
		Phases phases = scripted.application().context().getBean(Phases.class);
		assertThatIllegalStateException()
			.isThrownBy(() -> phases.atomic("first", () -> scripted.effects().record("nobody")))
			.withMessageContaining("belongs to no request");
	}

	@Test
	void aServiceUsesThePhasesOfTheRequestThatItWorksFor() {
		Phases injected = scripted.application().context().getBean(Phases.class);
		assertThat(text(scripted.call("service", (phases) -> injected.finish(() -> "by a service"))))
			.isEqualTo("by a service");
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
		assertThat(scripted.call("derived", handler).statusCode()).isEqualTo(500);
		scripted.application().jdbc().update("delete from idempotency_lease where namespace <> ''");
		assertThat(scripted.call("derived", handler).statusCode()).isEqualTo(500);
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
		assertProblem(scripted.call("probe", handler), 503, "interrupted");
		assertThat(probes).hasValue(0);
		assertThat(text(scripted.call("probe"))).isEqualTo("charged before");
		assertThat(probes).hasValue(1);
		assertThat(this.runs).hasValue(1);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@Tag("P6")
	void aRequestOfAnotherVersionIsLeftAlone(boolean finished) {
		String name = "version-" + finished;
		Function<Phases, Object> other = (phases) -> {
			phases.atomic("common", () -> scripted.effects().record(name));
			phases.atomic("of another version", () -> scripted.effects().record(name + "-other"));
			return phases.finish(() -> {
				if (this.runs.incrementAndGet() == 1) {
					throw new IllegalStateException("the other node dies");
				}
				return "done";
			});
		};
		Function<Phases, Object> own = (phases) -> {
			phases.atomic("common", () -> scripted.effects().record(name));
			if (!finished) {
				phases.atomic("of this version", () -> scripted.effects().record(name + "-own"));
			}
			return phases.finish(() -> "not done");
		};
		assertThat(scripted.call(name, other).statusCode()).isEqualTo(500);
		double reported = unknownSteps();
		assertProblem(scripted.call(name, own), 503, "interrupted");
		assertThat(unknownSteps()).isEqualTo(reported + 1);
		assertThat(scripted.application().effects(name + "-own")).isZero();
		assertThat(text(scripted.call(name, other))).isEqualTo("done");
		assertThat(scripted.application().effects(name)).isEqualTo(1);
		assertThat(scripted.application().effects(name + "-other")).isEqualTo(1);
	}

	private static double unknownSteps() {
		return scripted.application()
			.context()
			.getBean(MeterRegistry.class)
			.get("idempotency.unknown.steps")
			.tag("operation", "POST /phases/{name}")
			.counter()
			.count();
	}

	@Test
	void aResultThatCannotBeReadAgainFailsThePhaseAndNotTheRetry() {
		assertThat(scripted.call("unreadable", (phases) -> phases.atomic("first", Thread.class, () -> {
			scripted.effects().record("unreadable");
			return new Thread();
		})).statusCode()).isEqualTo(500);
		assertThat(scripted.application().effects("unreadable")).isZero();
		assertThat(scripted.application()
			.jdbc()
			.queryForList("select * from idempotency_lease where namespace <> '' and recovery_point is null"))
			.isEmpty();
	}

	@Test
	void workOfAServiceIsResumedByCallingItAgain() {
		PhaseOperations operations = scripted.application().context().getBean(PhaseOperations.class);
		IdempotencyRequest request = IdempotencyRequest.of("invoice.pay", "service-1").withContent(Map.of("amount", 5));
		Function<Phases, String> work = (phases) -> {
			phases.atomic("first", () -> scripted.effects().record("service-work"));
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
		assertThat(scripted.application().effects("service-work")).isEqualTo(1);
		assertThatExceptionOfType(KeyReusedException.class)
			.isThrownBy(() -> operations.execute(request.withContent(Map.of("amount", 6)), String.class, work));
		assertThatExceptionOfType(IllegalTransactionStateException.class).isThrownBy(
				() -> transactions().executeWithoutResult((status) -> operations.execute(request, String.class, work)));
	}

	private static TransactionTemplate transactions() {
		return new TransactionTemplate(scripted.application().context().getBean(PlatformTransactionManager.class));
	}

}
