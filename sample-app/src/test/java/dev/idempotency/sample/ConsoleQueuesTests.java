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
package dev.idempotency.sample;

import java.util.regex.Pattern;

import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.Locator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.TestPropertySource;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.idempotency.sample.SampleClient.answer;
import static dev.idempotency.sample.SampleClient.newKey;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The outbox and the jobs of the console in a real browser, with a broker that refuses
 * events and jobs that die; and the look-ups and plots that need such traffic.
 */
@PageTest
@Import(Traffic.class)
@TestPropertySource(properties = { "idempotency.outbox.enabled=true",
		"management.endpoint.idempotencyoutbox.access=unrestricted", "idempotency.outbox.polling-interval=1m",
		"idempotency.job.max-attempts=1", "idempotency.job.polling-interval=200ms" })
@Tag("Y7")
class ConsoleQueuesTests {

	@Autowired
	private Browser browser;

	@Autowired
	private SampleClient client;

	@Autowired
	private Traffic traffic;

	@Autowired
	private TestBroker broker;

	@Autowired
	private JdbcTemplate jdbc;

	private ConsolePage console;

	@BeforeEach
	void open() {
		this.console = this.browser.console(new NewContextOptions().setViewportSize(1280, 900));
	}

	@AfterEach
	void close() {
		this.console.close();
		this.broker.repair(false);
		this.jdbc.update("delete from idempotency_outbox");
		assertThat(this.console.errors()).isEmpty();
	}

	private Locator find(String selector) {
		return this.console.page().locator(selector);
	}

	private void refuse(String key, int events) {
		for (int i = 0; i < events; i++) {
			this.traffic.publish(TestBroker.REFUSED, key);
		}
	}

	@Test
	void theBacklogOfEachKeyIsShownWithTheEventThatHoldsItBack() {
		refuse("order-4711", 3);
		refuse("order-4712", 1);
		assertThat(find("#backlog li")).hasText(new Pattern[] {
				Pattern
					.compile("^refused, key digest [0-9a-f]{12}: 3, the oldest \\d+ s, held back by a refused event$"),
				Pattern.compile(
						"^refused, key digest [0-9a-f]{12}: 1, the oldest \\d+ s, held back by a refused event$") });
		assertThat(find("#events li").first()).containsText(
				Pattern.compile("test to refused: published \\d+ s ago, refused 1 times, IllegalArgumentException"));
		assertThat(find("#events li")).hasCount(2);
		assertThat(find("#outbox-figures")).hasText("Waiting4Refused2");
		assertThat(find("#summary")).containsText("Events waiting4");
		assertThat(find("#workers")).containsText(Pattern.compile("Relayalive, last run \\d+ s ago"));
		assertThat(find("main")).not().containsText("order-47");
	}

	@Test
	void anEventThatIsTriedAgainTakesTheOthersOfItsKeyWithIt() {
		refuse("order-1", 2);
		assertThat(find("#events li")).hasCount(1);
		this.broker.repair(true);
		find("#events li").getByText("Retry…").click();
		this.console.button("Retry").click();
		assertThat(this.console.said()).hasText(Pattern.compile("The event \\S+ is retried\\."));
		assertThat(find("#no-backlog")).isVisible();
		assertThat(find("#no-events")).isVisible();
		assertThat(find("#outbox-title")).isFocused();
		assertThat(this.jdbc.queryForObject("select count(*) from idempotency_outbox", Long.class)).isZero();
	}

	@Test
	void anEventThatIsDiscardedIsGone() {
		refuse("order-1", 1);
		assertThat(find("#events li")).hasCount(1);
		find("#events li").getByText("Discard…").click();
		this.console.button("Discard").click();
		assertThat(this.console.said()).hasText(Pattern.compile("The event \\S+ is deleted\\."));
		assertThat(find("#no-events")).isVisible();
	}

	@Test
	void aDeadJobThatIsRetriedIsDone() {
		this.traffic.failAJob("select count(*) from idempotency_dead_job");
		long receipts = receipts();
		Locator job = find("#jobs li");
		assertThat(job).containsText(Pattern.compile("send-receipt: died \\d+ s ago after 1 attempts"));
		job.getByText("Retry…").click();
		this.console.button("Retry").click();
		assertThat(this.console.said()).hasText(Pattern.compile("The job [0-9a-f-]{36} is retried\\."));
		assertThat(job).hasCount(0);
		assertThat(find("#no-jobs")).isVisible();
		assertThat(find("#jobs-figures")).containsText("Dead0");
		Awaitility.await().until(() -> receipts() == receipts + 1);
	}

	private long receipts() {
		return this.jdbc.queryForObject("select count(*) from receipt", Long.class);
	}

	@Test
	void aConflictIsPlotted() throws Exception {
		this.traffic.sendADuplicateWhileTheFirstIsRunning();
		assertThat(find("#plot-in_progress .rate")).containsText("1 in the last minute");
		assertThat(find("#plot-in_progress path")).hasAttribute("d", Pattern.compile("M.*"));
	}

	@Test
	void aKeyThatStandsForTwoRequestsIsFoundUnderBothScopes() {
		String key = newKey();
		assertThat(answer(this.client.post("alice", "/orders", key, "{\"item\":\"Rocket\",\"quantity\":1}")).status())
			.isEqualTo(201);
		assertThat(answer(this.client.post("alice", "/payments", key,
				"{\"amountCents\":700,\"currency\":\"usd\",\"cardToken\":\"tok_visa\"}"))
			.status()).isEqualTo(201);
		this.console.field("Account").fill("alice");
		this.console.field("Key").fill(key);
		this.console.button("Find by key").click();
		assertThat(this.console.said()).hasText("2 requests found. Choose one.");
		assertThat(find("#found li")).hasCount(2);
		find("#found").getByText(Pattern.compile("POST /orders.*, finished")).click();
		assertThat(find("#facts")).containsText("OperationPOST /orders");
		assertThat(find("#life")).containsText("answered with 201");
	}

}
