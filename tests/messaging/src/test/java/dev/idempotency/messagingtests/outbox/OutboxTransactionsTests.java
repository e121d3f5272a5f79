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
package dev.idempotency.messagingtests.outbox;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.job.JobHandler;
import dev.idempotency.job.JobType;
import dev.idempotency.job.StagedJobs;
import dev.idempotency.outbox.Outbox;
import dev.idempotency.phase.Phases;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Events in each kind of transaction that the library opens, and what of those that do
 * not commit gets out: nothing.
 */
class OutboxTransactionsTests {

	private static final JobType<String> ANNOUNCE = JobType.of("announce", String.class);

	private static OutboxNode node;

	private Topic topic;

	@BeforeAll
	static void start() {
		node = OutboxNode.start(OutboxNode.database(), List.of(Handlers.class, Jobs.class), "kafka",
				"spring.main.web-application-type=servlet", "server.port=0", "server.address=127.0.0.1",
				"idempotency.job.polling-interval=100ms");
	}

	@AfterAll
	static void stop() {
		node.close();
	}

	@BeforeEach
	void createTopic() {
		this.topic = Topic.create(1);
	}

	@AfterEach
	void closeTopic() {
		this.topic.close();
	}

	private int post(String path, String key) throws IOException, InterruptedException {
		int port = ((WebServerApplicationContext) node.context()).getWebServer().getPort();
		URI address = URI.create("http://127.0.0.1:" + port + path + "?topic=" + this.topic.name());
		HttpRequest request = HttpRequest.newBuilder(address)
			.header("Idempotency-Key", key)
			.POST(HttpRequest.BodyPublishers.noBody())
			.build();
		return HttpClient.newHttpClient().send(request, BodyHandlers.discarding()).statusCode();
	}

	/**
	 * Returns the sent events, up to one that is published now: for one key no earlier
	 * event can come later.
	 */
	private List<String> sent(int count) {
		node.publish(this.topic.name(), "k", "the end");
		List<String> values = this.topic.awaitValues(count + 1);
		assertThat(values).endsWith("\"the end\"");
		return values.subList(0, values.size() - 1);
	}

	@Test
	void aHandlerInOneTransactionPublishesWithItsAnswerAndOnce() throws Exception {
		String key = UUID.randomUUID().toString();
		assertThat(post("/fails-first", key)).isEqualTo(503);
		assertThat(post("/fails-first", key)).isEqualTo(200);
		assertThat(post("/fails-first", key)).isEqualTo(200);
		assertThat(sent(1)).containsExactly("\"attempt 2\"");
	}

	@Test
	void phasesPublishWithTheirCommitsAndAResumedRequestDoesNotPublishAgain() throws Exception {
		String key = UUID.randomUUID().toString();
		assertThat(post("/phases", key)).isEqualTo(503);
		assertThat(post("/phases", key)).isEqualTo(200);
		assertThat(sent(2)).containsExactly("\"atomic\"", "\"finish\"");
	}

	@Test
	void aHandlerThatHasLostItsLeasePublishesNothing() throws Exception {
		assertThat(post("/loses-lease", UUID.randomUUID().toString())).isGreaterThanOrEqualTo(400);
		assertThat(sent(0)).isEmpty();
	}

	@Test
	void aJobPublishesWithItsEffects() {
		node.commit(() -> node.context().getBean(StagedJobs.class).stage(ANNOUNCE, this.topic.name()));
		await().until(() -> node.jdbc()
			.queryForObject("select count(*) from idempotency_job where task_name <> ''", Long.class) == 0);
		assertThat(sent(1)).containsExactly("\"attempt 2 of the job\"");
	}

	@RestController
	static class Handlers {

		private final AtomicInteger attempts = new AtomicInteger();

		private final AtomicInteger phased = new AtomicInteger();

		private final Outbox outbox;

		private final JdbcTemplate jdbc;

		Handlers(Outbox outbox, JdbcTemplate jdbc) {
			this.outbox = outbox;
			this.jdbc = jdbc;
		}

		@Idempotent
		@PostMapping("/fails-first")
		String failsFirst(@RequestParam String topic) {
			int attempt = this.attempts.incrementAndGet();
			this.outbox.publish(OutboxNode.event(topic, "k", "attempt " + attempt));
			if (attempt == 1) {
				throw new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE);
			}
			return "done";
		}

		@Idempotent
		@PostMapping("/phases")
		String phases(@RequestParam String topic, Phases phases) {
			phases.atomic("published", String.class, () -> this.outbox.publish(OutboxNode.event(topic, "k", "atomic")));
			phases.foreign("refused", String.class, (key) -> publishOutsideOfATransaction(topic));
			if (this.phased.incrementAndGet() == 1) {
				phases.atomic("fails", String.class, () -> {
					this.outbox.publish(OutboxNode.event(topic, "k", "rolled back"));
					throw new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE);
				});
			}
			return phases.finish(() -> {
				this.outbox.publish(OutboxNode.event(topic, "k", "finish"));
				return "done";
			});
		}

		private String publishOutsideOfATransaction(String topic) {
			try {
				return this.outbox.publish(OutboxNode.event(topic, "k", "outside"));
			}
			catch (IllegalTransactionStateException ex) {
				return "refused";
			}
		}

		/**
		 * As if another node had taken it over meanwhile.
		 */
		@Idempotent(mode = Mode.LEASED)
		@Transactional
		@PostMapping("/loses-lease")
		public String losesLease(@RequestParam String topic) {
			this.outbox.publish(OutboxNode.event(topic, "k", "without a lease"));
			this.jdbc.update("update idempotency_lease set fence = fence + 1");
			return "done";
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Jobs {

		@Bean
		JobHandler<String> announcer(Outbox outbox) {
			AtomicInteger attempts = new AtomicInteger();
			return JobHandler.of(ANNOUNCE, (topic) -> {
				int attempt = attempts.incrementAndGet();
				outbox.publish(OutboxNode.event(topic, "k", "attempt " + attempt + " of the job"));
				if (attempt == 1) {
					throw new IllegalStateException("fails at first");
				}
			});
		}

	}

}
