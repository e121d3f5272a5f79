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
package dev.idempotency.autoconfigure.actuator;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import dev.idempotency.autoconfigure.TestContexts;
import dev.idempotency.autoconfigure.actuator.IdempotencyOutboxEndpoint.EventView;
import dev.idempotency.autoconfigure.actuator.IdempotencyOutboxEndpoint.FailingEvents;
import dev.idempotency.outbox.EventSender;
import dev.idempotency.outbox.Outbox;
import dev.idempotency.outbox.OutboxMessage;
import dev.idempotency.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The operators' view of the outbox.
 */
@ExtendWith(OutputCaptureExtension.class)
class IdempotencyOutboxEndpointTests {

	private final ApplicationContextRunner contextRunner = TestContexts.with(TestDatabase.create())
		.withInitializer((context) -> context.getEnvironment().setConversionService(new ApplicationConversionService()))
		.withBean(EventSender.class,
				() -> (event) -> CompletableFuture.failedFuture(new IllegalStateException("secret payload")))
		.withPropertyValues("management.endpoints.web.exposure.include=*", "idempotency.outbox.polling-interval=1h");

	private static String publish(ApplicationContext context) {
		String id = new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
			.execute((status) -> context.getBean(Outbox.class)
				.publish(OutboxMessage.to("rides", "payload").withKey("k").withType("ride-booked")));
		return String.valueOf(id);
	}

	private static EventView awaitFailing(IdempotencyOutboxEndpoint endpoint, int failures) {
		return Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> endpoint.failing(null).events(),
					(events) -> events.size() == 1 && events.get(0).failures() == failures)
			.get(0);
	}

	@Test
	void refusedEventsAreListedRetriedAndDiscarded(CapturedOutput output) {
		this.contextRunner.withPropertyValues("idempotency.outbox.enabled=true").run((context) -> {
			IdempotencyOutboxEndpoint endpoint = context.getBean(IdempotencyOutboxEndpoint.class);
			String id = publish(context);
			EventView failing = awaitFailing(endpoint, 1);
			assertThat(failing.id()).isEqualTo(id);
			assertThat(failing.destination()).isEqualTo("rides");
			assertThat(failing.lastError()).isEqualTo("java.lang.IllegalStateException");
			publish(context);
			FailingEvents events = endpoint.failing(null);
			assertThat(events.waiting()).isEqualTo(2);
			assertThat(events.backlog()).singleElement().satisfies((backlog) -> {
				assertThat(backlog.destination()).isEqualTo("rides");
				assertThat(backlog.keyDigest()).matches("[0-9a-f]{12}");
				assertThat(backlog.key()).isNull();
				assertThat(backlog.events()).isEqualTo(2);
				assertThat(backlog.refused()).isTrue();
			});
			assertThat(Objects.requireNonNull(events.relay()).alive()).isTrue();
			assertThat(Objects.requireNonNull(events.relay()).lastRun()).isNotNull();
			endpoint.act(id, "retry", SecurityContext.NONE);
			assertThat(output).contains("an operator without a name: retry event " + id + ", done");
			awaitFailing(endpoint, 2);
			endpoint.act(id, "discard", SecurityContext.NONE);
			assertThat(endpoint.failing(null).events()).extracting(EventView::id).doesNotContain(id);
		});
	}

	@Test
	void whatMakesNoSenseIsABadRequest() {
		this.contextRunner.withPropertyValues("idempotency.outbox.enabled=true").run((context) -> {
			IdempotencyOutboxEndpoint endpoint = context.getBean(IdempotencyOutboxEndpoint.class);
			for (String action : List.of("retry", "discard", "resend")) {
				assertThatExceptionOfType(InvalidEndpointRequestException.class)
					.isThrownBy(() -> endpoint.act("unknown", action, SecurityContext.NONE));
			}
			assertThatExceptionOfType(InvalidEndpointRequestException.class).isThrownBy(() -> endpoint.failing(0));
		});
	}

	@Test
	void isNotThereWithoutAnOutbox() {
		this.contextRunner
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(IdempotencyOutboxEndpoint.class));
	}

}
