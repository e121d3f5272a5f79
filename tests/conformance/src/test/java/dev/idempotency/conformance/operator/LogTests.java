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

import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import ch.qos.logback.classic.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import dev.idempotency.IdempotencyListener;
import dev.idempotency.IdempotencyNotification.Replayed;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.engine.LeaseKeeper;
import dev.idempotency.job.JobHandler;
import dev.idempotency.job.JobType;
import dev.idempotency.job.StagedJobs;
import dev.idempotency.testsupport.FaultyProxy;
import dev.idempotency.testsupport.FaultyProxy.CommitFault;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The log lines of failures: a line with its id, and nothing of the request, though every
 * key, body and exception has a secret in it.
 */
@Tag("postgresql")
@Tag("Y5")
class LogTests {

	static final String SECRET = "secret-41c7";

	private static final JobType<Labelled> FAILING = JobType.of("failing", Labelled.class);

	private static final LogLines LINES = new LogLines();

	private static FaultyProxy proxy;

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		proxy = FaultyProxy.before(MigratedDatabase.create());
		application = RunningApplication.start(proxy.database(), List.of(LoggedPayments.class, Beans.class),
				"spring.datasource.hikari.connection-timeout=500", "spring.datasource.hikari.validation-timeout=250",
				"idempotency.store.timeout=500ms", "idempotency.lease.duration=3s",
				"idempotency.completer.enabled=false", "idempotency.reaper.interval=200ms",
				"idempotency.job.max-attempts=1");
		LINES.start();
		((Logger) LoggerFactory.getLogger("dev.idempotency")).addAppender(LINES);
	}

	@AfterEach
	void repair() {
		proxy.goUp();
		LoggedPayments.action = (payments, label) -> {
		};
		application.awaitDatabase();
		assertThat(post("/payments", "repaired").statusCode()).isLessThan(500);
		LINES.assertNothingSecret();
		LINES.lines.clear();
	}

	/**
	 * The first test that begins the streak of failures depends on their order.
	 */
	@AfterAll
	static void stop() {
		assertThat(LINES.all).anyMatch((line) -> line.startsWith("WARN [IDEM-1201] "));
		application.close();
		proxy.close();
		((Logger) LoggerFactory.getLogger("dev.idempotency")).detachAppender(LINES);
	}

	private static HttpResponse<byte[]> post(String path, String name) {
		return application.post(ALICE, path, SECRET + name, Labelled.json(SECRET + name));
	}

	private static RuntimeException failure() {
		return new IllegalStateException(SECRET);
	}

	@Test
	void aCallerWithoutAnIdentityIsToldOnce() {
		for (int i = 0; i < 3; i++) {
			assertProblem(application.send(application.anonymous("/open/payments")
				.header("Idempotency-Key", SECRET)
				.header("Content-Type", "application/json")
				.POST(BodyPublishers.ofString(Labelled.json(SECRET)))), 403, "account-required");
		}
		LINES.assertHas("IDEM-1101", "WARN");
		assertThat(LINES.count("IDEM-1101")).isEqualTo(1);
	}

	@Test
	void aStoreThatIsDownIsToldOnceWithItsCause() {
		proxy.goDown();
		for (int i = 0; i < 3; i++) {
			assertProblem(post("/payments", "down" + i), 503, "store-unavailable");
		}
		assertThat(LINES.count("IDEM-1201")).isLessThanOrEqualTo(1);
		assertThat(LINES.count("IDEM-1202")).isZero();
		await().untilAsserted(() -> LINES.assertHas("IDEM-1501", "WARN"));
		proxy.goUp();
		await().untilAsserted(() -> LINES.assertHas("IDEM-1502", "INFO"));
	}

	@Test
	void aCommitInDoubt() {
		proxy.failNextCommit(CommitFault.REPLY_LOST);
		assertOriginal(post("/payments", "in-doubt"), 201);
		LINES.assertHas("IDEM-1301", "WARN");
	}

	@Test
	void aCallbackThatFailsAfterTheCommit() {
		LoggedPayments.action = (payments, label) -> TransactionSynchronizationManager
			.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCommit() {
					throw failure();
				}

			});
		assertOriginal(post("/payments", "callback"), 201);
		LINES.assertHas("IDEM-1302", "ERROR");
	}

	@Test
	void aFailureThatCannotBeStored() {
		LoggedPayments.action = (payments, label) -> {
			proxy.goDown();
			throw failure();
		};
		assertThat(post("/payments", "failure").statusCode()).isEqualTo(503);
		LINES.assertHas("IDEM-1303", "WARN");
	}

	@Test
	void aLeaseThatCannotBeExtendedAndAnAnswerThatCannotBeStored() {
		LoggedPayments.action = (payments, label) -> {
			proxy.goDown();
			await().untilAsserted(() -> LINES.assertHas("IDEM-1402", "WARN"));
		};
		CompletableFuture<HttpResponse<byte[]>> answer = Parallel.start(() -> post("/leased-payments", "leased"));
		await().untilAsserted(() -> LINES.assertHas("IDEM-1305", "WARN"));
		proxy.goUp();
		assertThat(answer.join().statusCode()).isIn(201, 503);
	}

	@Test
	void aLeaseThatCannotBeEnded() {
		LoggedPayments.action = (payments, label) -> {
			proxy.goDown();
			throw new UnsupportedOperationException(SECRET);
		};
		assertThat(post("/leased-payments", "not-ended").statusCode()).isEqualTo(500);
		LINES.assertHas("IDEM-1401", "WARN");
	}

	@Test
	void requestsThatAShutdownLeavesBehind() {
		LeaseKeeper keeper = application.context().getBean(LeaseKeeper.class);
		LoggedPayments.action = (payments, label) -> {
			proxy.goDown();
			keeper.stop();
			proxy.goUp();
			keeper.start();
		};
		post("/leased-payments", "left");
		LINES.assertHas("IDEM-1403", "WARN");
		LINES.assertHas("IDEM-1404", "WARN");
	}

	@Test
	void aListenerThatFails() {
		assertOriginal(post("/payments", "listener"), 201);
		assertThat(post("/payments", "listener").statusCode()).isEqualTo(201);
		LINES.assertHas("IDEM-1701", "WARN");
	}

	@Test
	void aJobThatDies() {
		StagedJobs jobs = application.context().getBean(StagedJobs.class);
		new TransactionTemplate(application.context().getBean(PlatformTransactionManager.class))
			.executeWithoutResult((status) -> jobs.stage(FAILING, new Labelled(SECRET)));
		await().untilAsserted(() -> LINES.assertHas("IDEM-1601", "ERROR"));
	}

	@Configuration(proxyBeanMethods = false)
	static class Beans {

		@Bean
		IdempotencyListener failingListener() {
			return (notification) -> {
				if (notification instanceof Replayed) {
					throw failure();
				}
			};
		}

		@Bean
		JobHandler<Labelled> failingJob() {
			return JobHandler.of(FAILING, (payload) -> {
				throw failure();
			});
		}

	}

}
