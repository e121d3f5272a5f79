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
package dev.idempotency.autoconfigure.observability;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import dev.idempotency.IdempotencyNotification;
import dev.idempotency.IdempotencyNotification.Executed;
import dev.idempotency.IdempotencyNotification.Expired;
import dev.idempotency.IdempotencyNotification.Interrupted;
import dev.idempotency.IdempotencyNotification.JobDied;
import dev.idempotency.IdempotencyNotification.JobFailed;
import dev.idempotency.IdempotencyNotification.OutboxChecked;
import dev.idempotency.IdempotencyNotification.Refusal;
import dev.idempotency.IdempotencyNotification.Refused;
import dev.idempotency.IdempotencyNotification.Released;
import dev.idempotency.IdempotencyNotification.ReplaySource;
import dev.idempotency.IdempotencyNotification.Replayed;
import dev.idempotency.IdempotencyNotification.StoreFailed;
import dev.idempotency.IdempotencyNotification.StorePhase;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.observability.IdempotencyMeter;
import dev.idempotency.observability.RequestOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A meter for each event.
 */
@org.junit.jupiter.api.Tag("O1")
class MicrometerListenerTests {

	private static final String PAY = "POST /payments";

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final MicrometerListener listener = new MicrometerListener(this.registry);

	private void registerAll() {
		this.listener.registerReaper();
		this.listener.registerLeases(true);
		this.listener.registerOutbox();
		this.listener.register(PAY, Mode.LEASED, true);
		this.listener.registerJob(PAY, true);
	}

	private Timer requests(String outcome, String source) {
		return this.registry.get("idempotency.requests")
			.tags("operation", PAY, "outcome", outcome, "source", source)
			.timer();
	}

	@Test
	void requestsAreTimedByOperationOutcomeAndSource() {
		this.listener.onNotification(new Executed(PAY, Duration.ofMillis(30)));
		this.listener.onNotification(new Executed(PAY, Duration.ofMillis(10)));
		this.listener.onNotification(new Released(PAY, Duration.ofMillis(5)));
		this.listener.onNotification(new Interrupted(PAY, Duration.ofMillis(6)));
		assertThat(requests("executed", "none").count()).isEqualTo(2);
		assertThat(requests("executed", "none").totalTime(TimeUnit.MILLISECONDS)).isEqualTo(40);
		assertThat(requests("released", "none").totalTime(TimeUnit.MILLISECONDS)).isEqualTo(5);
		assertThat(requests("interrupted", "none").totalTime(TimeUnit.MILLISECONDS)).isEqualTo(6);
		for (ReplaySource source : ReplaySource.values()) {
			this.listener.onNotification(new Replayed(PAY, Duration.ofMillis(2), source));
			assertThat(requests("replayed", source.name().toLowerCase(Locale.ROOT)).totalTime(TimeUnit.MILLISECONDS))
				.isEqualTo(2);
		}
		for (Refusal refusal : Refusal.values()) {
			this.listener.onNotification(new Refused(PAY, refusal, Duration.ofMillis(3)));
			assertThat(requests(refusal.name().toLowerCase(Locale.ROOT), "none").totalTime(TimeUnit.MILLISECONDS))
				.isEqualTo(3);
		}
	}

	@Test
	void everyOutcomeHasASeriesAndAPlaceInTheDescription() {
		registerAll();
		assertThat(this.registry.get("idempotency.requests").timers())
			.extracting((timer) -> timer.getId().getTag("outcome"))
			.containsOnly(Arrays.stream(RequestOutcome.values()).map(RequestOutcome::tag).toArray(String[]::new));
		assertThat(IdempotencyMeter.REQUESTS.description()).endsWith(
				Arrays.stream(RequestOutcome.values()).map(RequestOutcome::tag).collect(Collectors.joining(", ")));
	}

	@Test
	void aTimerThatWasRemovedFromTheRegistryIsThereAgainWithItsNextEvent() {
		this.listener.onNotification(new Executed(PAY, Duration.ofMillis(30)));
		this.registry.clear();
		this.listener.onNotification(new Executed(PAY, Duration.ofMillis(10)));
		assertThat(requests("executed", "none").totalTime(TimeUnit.MILLISECONDS)).isEqualTo(10);
	}

	@Test
	void expiryAndFailuresAreCounted() {
		this.listener.onNotification(new Expired(5000));
		this.listener.onNotification(new StoreFailed(PAY, StorePhase.CLAIM));
		assertThat(this.registry.get("idempotency.expired").counter().count()).isEqualTo(5000);
		assertThat(this.registry.get("idempotency.store.errors")
			.tag("operation", PAY)
			.tag("phase", "claim")
			.counter()
			.count()).isOne();
	}

	@Test
	void failedAndDeadJobsAreCounted() {
		this.listener.onNotification(new JobFailed("job.mail", 1));
		this.listener.onNotification(new JobFailed("job.mail", 2));
		this.listener.onNotification(new JobDied("job.mail", 2));
		assertThat(this.registry.get("idempotency.job.failed").tag("operation", "job.mail").counter().count())
			.isEqualTo(2);
		assertThat(this.registry.get("idempotency.job.dead").tag("operation", "job.mail").counter().count()).isOne();
	}

	@Test
	void whatIsOffHasNoSeries() {
		assertThat(this.registry.getMeters()).isEmpty();
		this.listener.register(PAY, Mode.TRANSACTIONAL, false);
		assertThat(this.registry.getMeters()).extracting((meter) -> meter.getId().getName())
			.containsOnly("idempotency.requests", "idempotency.store.errors");
		assertThat(this.registry.get("idempotency.requests").timers())
			.extracting((timer) -> timer.getId().getTag("outcome") + " " + timer.getId().getTag("source"))
			.containsExactlyInAnyOrder("executed none", "replayed database", "released none", "mismatched none",
					"in_progress none", "not_replayable none");
		assertThat(this.registry.find("idempotency.store.errors").tag("phase", "phase").counters()).isEmpty();
	}

	@Test
	void whatBelongsToNoOperationIsThereFromTheStartWhereItIsOn() {
		this.listener.registerReaper();
		this.listener.registerLeases(true);
		assertThat(this.registry.get("idempotency.expired").counter().count()).isZero();
		for (var node : Map.of("reaper", "reap", "heartbeat", "extend", "completer", "complete").entrySet()) {
			assertThat(this.registry.get("idempotency.store.errors")
				.tags("operation", node.getKey(), "phase", node.getValue())
				.counter()
				.count()).isZero();
		}
	}

	@Test
	void theMetersOfARegisteredOperationAreThereBeforeAnythingHappens() {
		registerAll();
		List<Meter> before = this.registry.getMeters();
		for (IdempotencyMeter meter : IdempotencyMeter.values()) {
			assertThat(this.registry.find(meter.meterName()).meters()).as(meter.meterName()).isNotEmpty();
		}
		this.listener.onNotification(new Executed(PAY, Duration.ofMillis(30)));
		this.listener.onNotification(new Replayed(PAY, Duration.ofMillis(2), ReplaySource.LOCAL));
		this.listener.onNotification(new StoreFailed(PAY, StorePhase.RESOLVE));
		this.listener.onNotification(new JobDied(PAY, 12));
		assertThat(this.registry.getMeters()).hasSameSizeAs(before);
	}

	@Test
	void everyMeterIsAsTheEnumSays() {
		registerAll();
		Map<String, IdempotencyMeter> documented = Arrays.stream(IdempotencyMeter.values())
			.collect(Collectors.toMap(IdempotencyMeter::meterName, (meter) -> meter));
		assertThat(this.registry.getMeters()).isNotEmpty().allSatisfy((meter) -> {
			IdempotencyMeter expected = documented.get(meter.getId().getName());
			assertThat(expected).as(meter.getId().getName()).isNotNull();
			assertThat(meter.getId().getType()).isEqualTo(expected.type());
			assertThat(meter.getId().getDescription()).isEqualTo(expected.description());
			assertThat(meter.getId().getTags()).extracting(Tag::getKey)
				.containsExactlyInAnyOrderElementsOf(expected.tags());
		});
	}

	@Test
	void noKindOfEventIsForgotten() {
		for (Class<?> event : IdempotencyNotification.class.getPermittedSubclasses()) {
			SimpleMeterRegistry fresh = new SimpleMeterRegistry();
			new MicrometerListener(fresh).onNotification(example(event));
			assertThat(fresh.getMeters()).as(event.getSimpleName())
				.anySatisfy((meter) -> assertThat(meter.measure())
					.anySatisfy((measurement) -> assertThat(measurement.getValue()).isPositive()));
		}
	}

	private static IdempotencyNotification example(Class<?> type) {
		Object[] arguments = Arrays.stream(type.getRecordComponents()).map((component) -> {
			Class<?> value = component.getType();
			if (value == String.class) {
				return "operation";
			}
			if (value == Duration.class) {
				return Duration.ofSeconds(1);
			}
			return value.isEnum() ? value.getEnumConstants()[0] : (Object) 1;
		}).toArray();
		try {
			var constructor = type.getDeclaredConstructors()[0];
			return (IdempotencyNotification) constructor.newInstance(arguments);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void ageOfTheOldestEventIsTheLatestThatWasSeenAndNothingIsLogged(CapturedOutput output) {
		registerAll();
		this.listener.onNotification(new OutboxChecked(Duration.ofSeconds(7)));
		this.listener.onNotification(new OutboxChecked(Duration.ofSeconds(9)));
		assertThat(this.registry.get("idempotency.outbox.oldest").gauge().value()).isEqualTo(9);
		assertThat(output).doesNotContain("already");
	}

}
