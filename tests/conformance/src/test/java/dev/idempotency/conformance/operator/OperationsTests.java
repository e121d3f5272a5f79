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
package dev.idempotency.conformance.operator;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.IdempotencyRequest;
import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Required;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.exception.KeyReusedException;
import dev.idempotency.exception.MissingKeyException;
import dev.idempotency.exception.NotReplayableException;
import dev.idempotency.exception.RequestInProgressException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Annotated methods of beans that answer no request, and {@link IdempotencyOperations}:
 * what is given back, and what is refused.
 */
class OperationsTests {

	private static RunningApplication application;

	private static Ledger ledger;

	private static IdempotencyOperations operations;

	private String label = "";

	@BeforeAll
	static void start() {
		application = RunningApplication.start(Ledger.class);
		ledger = application.context().getBean(Ledger.class);
		operations = application.context().getBean(IdempotencyOperations.class);
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

	@Test
	void aRecordIsStoredAndGivenBackWithoutASecondEffect() {
		Receipt first = ledger.pay(new Payment(this.label, 5000));
		Receipt second = ledger.pay(new Payment(this.label, 5000));
		assertThat(second).isEqualTo(first);
		assertThat(effects()).isEqualTo(1);
	}

	@Test
	void elementsOfGenericTypesComeBackAsWhatTheyWere() {
		List<Receipt> first = ledger.payAll(this.label, 3);
		List<Receipt> second = ledger.payAll(this.label, 3);
		assertThat(second).hasSize(3).isEqualTo(first).hasOnlyElementsOfType(Receipt.class);
		assertThat(effects()).isEqualTo(3);
	}

	@Test
	void anOptionalComesBackFilledOrEmpty() {
		assertThat(ledger.find(this.label + "-full", this.label, true)).contains(this.label);
		assertThat(ledger.find(this.label + "-full", this.label, true)).contains(this.label);
		assertThat(ledger.find(this.label + "-empty", this.label, false)).isEmpty();
		assertThat(ledger.find(this.label + "-empty", this.label, false)).isEmpty();
		assertThat(effects()).isEqualTo(2);
	}

	@Test
	void nothingNullAndPrimitivesAreStoredAsWell() {
		ledger.nothing(this.label);
		ledger.nothing(this.label);
		assertThat(ledger.nullValue(this.label + "-null", this.label)).isNull();
		assertThat(ledger.nullValue(this.label + "-null", this.label)).isNull();
		assertThat(ledger.number(this.label + "-number", this.label, 42)).isEqualTo(42);
		assertThat(ledger.number(this.label + "-number", this.label, 42)).isEqualTo(42);
		assertThat(effects()).isEqualTo(3);
	}

	@Test
	@Tag("F1")
	void changedArgumentsAreRefusedAndTheFirstOnesStillReplayed() {
		Receipt first = ledger.pay(new Payment(this.label, 5000));
		assertThatExceptionOfType(KeyReusedException.class).isThrownBy(() -> ledger.pay(new Payment(this.label, 5001)));
		assertThat(ledger.pay(new Payment(this.label, 5000))).isEqualTo(first);
		assertThat(effects()).isEqualTo(1);
	}

	@Test
	@Tag("S3")
	void inScopeAccountTheKeyOfOneOperationIsRefusedByAnother() {
		ledger.number(this.label, this.label, 1);
		assertThatExceptionOfType(KeyReusedException.class).isThrownBy(() -> ledger.nullValue(this.label, this.label));
		assertThat(effects()).isEqualTo(1);
	}

	@Test
	@Tag("X1")
	void anExceptionIsNotStoredAndARetryRuns() {
		assertThatIllegalStateException().isThrownBy(() -> ledger.fail(this.label, new IllegalStateException("no")))
			.withMessage("no");
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> ledger.fail(this.label, new IOException("disk")))
			.withMessage("disk");
		assertThat(effects()).isZero();
		ledger.nothing(this.label);
		assertThat(effects()).isEqualTo(1);
	}

	@Test
	void aCheckedExceptionThatASupplierHidesRollsBackAsWell() {
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> execute(() -> {
			application.context().getBean(Effects.class).record(this.label);
			return sneakyThrow(new IOException("hidden"));
		}));
		assertThat(effects()).isZero();
		execute(() -> application.context().getBean(Effects.class).record(this.label).getLabel());
		assertThat(effects()).isEqualTo(1);
	}

	private Object execute(Supplier<Object> work) {
		return operations.execute(IdempotencyRequest.of("test.operation", this.label), Object.class, work);
	}

	@SuppressWarnings("unchecked")
	private static <T extends Throwable> Object sneakyThrow(Throwable failure) throws T {
		throw (T) failure;
	}

	@Test
	@Tag("C1")
	void aDuplicateOfARunningOperationIsRefusedAtOnce() throws Exception {
		CountDownLatch entered = new CountDownLatch(1);
		CountDownLatch leave = new CountDownLatch(1);
		CompletableFuture<Object> first = CompletableFuture.supplyAsync(() -> execute(() -> {
			application.context().getBean(Effects.class).record(this.label);
			entered.countDown();
			await(leave);
			return "done";
		}));
		await(entered);
		assertThatExceptionOfType(RequestInProgressException.class).isThrownBy(() -> execute(() -> "other"));
		leave.countDown();
		assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo("done");
		assertThat(execute(() -> "other")).isEqualTo("done");
		assertThat(effects()).isEqualTo(1);
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void aValueThatCannotBeReadAgainIsAnErrorAndRollsBack() {
		assertThatIllegalStateException().isThrownBy(() -> ledger.unreadable(this.label))
			.withMessageContaining("Ledger#unreadable")
			.withMessageContaining("cannot be stored as JSON and read again")
			.withMessageContaining("Return a value that Jackson reads and writes");
		assertThat(effects()).isZero();
		ledger.nothing(this.label);
		assertThat(effects()).isEqualTo(1);
	}

	@Test
	void argumentsThatAreNoValuesAreAnErrorBeforeAnythingRuns() {
		assertThatIllegalArgumentException().isThrownBy(() -> ledger.withCallback(this.label, new Cyclic()))
			.withMessageContaining("The arguments of")
			.withMessageContaining("Pass values");
		assertThat(effects()).isZero();
	}

	@Test
	void anAnswerWhoseClassHasChangedSinceIsNotReplayable() {
		IdempotencyRequest request = IdempotencyRequest.of("test.changed", this.label);
		operations.execute(request, String.class, () -> "text");
		assertThatExceptionOfType(NotReplayableException.class)
			.isThrownBy(() -> operations.execute(request, Receipt.class, () -> new Receipt(UUID.randomUUID(), 1)));
	}

	@Test
	@Tag("K1")
	void anExpressionThatGivesNoKeyIsRefusedUnlessTheKeyIsOptional() {
		assertThatExceptionOfType(MissingKeyException.class).isThrownBy(() -> ledger.number(null, this.label, 1));
		assertThatExceptionOfType(MissingKeyException.class).isThrownBy(() -> ledger.number(" ", this.label, 1));
		assertThat(effects()).isZero();
		ledger.optional(null, this.label);
		ledger.optional(null, this.label);
		assertThat(effects()).isEqualTo(2);
	}

	@Test
	void theOrderOfASetOrAMapIsNoPartOfTheRequest() {
		Map<String, Integer> map = new LinkedHashMap<>();
		map.put("x", 1);
		map.put("y", 2);
		Map<String, Integer> turned = new LinkedHashMap<>();
		turned.put("y", 2);
		turned.put("x", 1);
		ledger.unordered(this.label, new LinkedHashSet<>(List.of("a", "b", "c")), map);
		ledger.unordered(this.label, new LinkedHashSet<>(List.of("c", "a", "b")), turned);
		assertThat(effects()).isEqualTo(1);
	}

	record Payment(String label, long amount) {
	}

	record Receipt(UUID id, long amount) {
	}

	static class Unreadable {

		private final String secret;

		Unreadable(int length) {
			this.secret = "x".repeat(length);
		}

		public String getSecret() {
			return this.secret;
		}

	}

	static class Cyclic {

		public Cyclic getSelf() {
			return this;
		}

	}

	static class Ledger {

		private final Effects effects;

		Ledger(Effects effects) {
			this.effects = effects;
		}

		@Idempotent(key = "#payment.label()")
		Receipt pay(Payment payment) {
			return new Receipt(this.effects.record(payment.label()).getId(), payment.amount());
		}

		@Idempotent(key = "#label")
		List<Receipt> payAll(String label, int count) {
			return Stream.generate(() -> new Receipt(this.effects.record(label).getId(), 1)).limit(count).toList();
		}

		@Idempotent(key = "#key")
		Optional<String> find(String key, String label, boolean present) {
			return Optional.of(this.effects.record(label).getLabel()).filter((found) -> present);
		}

		@Idempotent(key = "#p0")
		void nothing(String label) {
			this.effects.record(label);
		}

		@Idempotent(key = "#key")
		String nullValue(String key, String label) {
			this.effects.record(label);
			return null;
		}

		@Idempotent(key = "#key")
		int number(String key, String label, int number) {
			this.effects.record(label);
			return number;
		}

		@Idempotent(key = "#key", required = Required.FALSE)
		void optional(String key, String label) {
			this.effects.record(label);
		}

		@Idempotent(key = "#label")
		void fail(String label, Exception failure) throws Exception {
			this.effects.record(label);
			throw failure;
		}

		@Idempotent(key = "#label")
		Unreadable unreadable(String label) {
			this.effects.record(label);
			return new Unreadable(3);
		}

		@Idempotent(key = "#label")
		void withCallback(String label, Cyclic argument) {
			this.effects.record(label);
		}

		@Idempotent(key = "#label")
		void unordered(String label, Set<String> set, Map<String, Integer> map) {
			this.effects.record(label);
		}

	}

}
