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

import java.net.SocketTimeoutException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.server.ResponseStatusException;

import dev.idempotency.conformance.app.ScriptedPhases;
import dev.idempotency.phase.Phases;

import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.text;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * External calls whose outcome is unknown.
 */
class PhaseOutcomeTests {

	private static ScriptedPhases scripted;

	private final AtomicInteger bookings = new AtomicInteger();

	private final AtomicInteger probes = new AtomicInteger();

	@BeforeAll
	static void start() {
		scripted = ScriptedPhases.start();
	}

	@AfterAll
	static void stop() {
		scripted.close();
	}

	/**
	 * Books at a provider whose first reply is lost.
	 */
	private String book(Phases phases) {
		return phases.foreign("book", String.class, (key) -> bookOnce(), (key) -> {
			this.probes.incrementAndGet();
			return (this.bookings.get() > 0) ? Optional.of("booked before") : Optional.empty();
		});
	}

	private String bookOnce() throws SocketTimeoutException {
		if (this.bookings.incrementAndGet() == 1) {
			throw new SocketTimeoutException("the reply is lost");
		}
		return "booked";
	}

	@Test
	@Tag("P9")
	void aStepThatIsRepeatedInTheSameRunIsAskedAbout() {
		assertThat(text(scripted.call("same-run", (phases) -> {
			try {
				book(phases);
			}
			catch (RuntimeException ex) {
				// Again, as a service with @Retryable does.
			}
			String booked = book(phases);
			return phases.finish(() -> booked);
		}))).isEqualTo("booked before");
		assertThat(this.bookings).hasValue(1);
		assertThat(this.probes).hasValue(1);
	}

	@Test
	@Tag("P9")
	void aStepThatWasBegunByAnEarlierRunIsAskedAbout() {
		Function<Phases, Object> handler = (phases) -> {
			String booked = book(phases);
			return phases.finish(() -> booked);
		};
		assertProblem(scripted.call("later-run", handler), 503, "interrupted");
		assertThat(this.probes).hasValue(0);
		assertThat(text(scripted.call("later-run"))).isEqualTo("booked before");
		assertThat(this.bookings).hasValue(1);
	}

	@Test
	@Tag("P9")
	void aStepThatNoRunHasBegunIsNotAskedAboutHoweverOftenTheRequestWasClaimed() {
		AtomicInteger runs = new AtomicInteger();
		this.bookings.set(1);
		assertThat(scripted.call("not-begun", (phases) -> {
			phases.atomic("before", runs::incrementAndGet);
			if (runs.get() == 1 && this.probes.get() == 0 && this.bookings.getAndIncrement() == 1) {
				throw new IllegalStateException("before the call");
			}
			String booked = book(phases);
			return phases.finish(() -> booked);
		}).statusCode()).isEqualTo(500);
		assertThat(text(scripted.call("not-begun"))).isEqualTo("booked");
		assertThat(this.probes).hasValue(0);
	}

	@Test
	@Tag("P9")
	void aProbeThatFailsLeavesTheOutcomeUnknown() {
		AtomicInteger failing = new AtomicInteger(1);
		Function<Phases, Object> handler = (phases) -> {
			String booked = phases.foreign("book", String.class, (key) -> bookOnce(), (key) -> {
				if (failing.getAndDecrement() > 0) {
					throw new IllegalStateException("the provider does not know");
				}
				return Optional.of("booked before");
			});
			return phases.finish(() -> booked);
		};
		assertProblem(scripted.call("probe-fails", handler), 503, "interrupted");
		assertProblem(scripted.call("probe-fails"), 503, "interrupted");
		assertThat(text(scripted.call("probe-fails"))).isEqualTo("booked before");
		assertThat(this.bookings).hasValue(1);
	}

	@Test
	@Tag("P10")
	void aFallbackAroundACallWhoseOutcomeIsUnknownDoesNotFinish() {
		assertRefused("fallback", (phases) -> {
			String booked = orElse(phases, "not booked");
			return phases.finish(() -> booked);
		});
	}

	@Test
	@Tag("P10")
	void aFallbackDoesNotGoOnWithAnotherStep() {
		assertRefused("next-step", (phases) -> {
			String booked = orElse(phases, "not booked");
			phases.atomic("note", () -> scripted.effects().record("next-step " + booked));
			return phases.finish(() -> booked);
		});
		assertThat(scripted.application().effects("next-step not booked")).isZero();
	}

	@Test
	@Tag("P10")
	void anAnswerWithoutFinishIsNotStoredWhileAnOutcomeIsUnknown() {
		assertRefused("returned", (phases) -> {
			String booked = orElse(phases, "not booked");
			return booked.equals("not booked") ? ResponseEntity.status(402).body(booked) : booked;
		});
	}

	@Test
	@Tag("P10")
	void aFinalErrorIsNotStoredWhileAnOutcomeIsUnknown() {
		assertRefused("thrown", (phases) -> {
			String booked = orElse(phases, "not booked");
			if (booked.equals("not booked")) {
				throw new ResponseStatusException(HttpStatus.PAYMENT_REQUIRED);
			}
			return phases.finish(() -> booked);
		});
	}

	@Test
	@Tag("P10")
	void aStepThatAnEarlierRunHasBegunIsNotForgottenByAnotherCourse() {
		AtomicInteger runs = new AtomicInteger();
		assertProblem(scripted.call("other-course", (phases) -> {
			if (runs.incrementAndGet() != 2) {
				book(phases);
			}
			return phases.finish(() -> "not booked");
		}), 503, "interrupted");
		assertProblem(scripted.call("other-course"), 503, "interrupted");
		assertThat(text(scripted.call("other-course"))).isEqualTo("not booked");
		assertThat(this.bookings).hasValue(1);
	}

	@Test
	@Tag("P10")
	void aRejectionIsKnown() {
		assertThat(text(scripted.call("rejected", (phases) -> {
			try {
				return phases.foreign("charge", String.class, (key) -> {
					throw new IllegalArgumentException("declined");
				});
			}
			catch (IllegalArgumentException ex) {
				return phases.finish(() -> "declined");
			}
		}))).isEqualTo("declined");
	}

	private String orElse(Phases phases, String fallback) {
		try {
			return phases.foreign("charge", String.class, (key) -> bookOnce());
		}
		catch (RuntimeException ex) {
			return fallback;
		}
	}

	/**
	 * Asserts that a request is interrupted while the outcome is unknown, and completed
	 * by a retry.
	 */
	private void assertRefused(String name, Function<Phases, Object> handler) {
		assertProblem(scripted.call(name, handler), 503, "interrupted");
		assertThat(text(scripted.call(name))).isEqualTo("booked");
		assertThat(this.bookings).hasValue(2);
	}

}
