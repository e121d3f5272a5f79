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

import java.util.ArrayList;
import java.util.List;

import com.jayway.jsonpath.JsonPath;
import com.microsoft.playwright.Route.FulfillOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;

import static dev.idempotency.sample.SampleClient.answer;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each scenario of the page, by clicking: what the page says, and what is there.
 */
@PageTest
class PageTests {

	private static final String ONE_RIDE = "Sent (twice|\\d+ times), made once: 1 ride, 1 charge, 1 receipt\\.";

	@Autowired
	private Browser browser;

	@Autowired
	private SampleClient client;

	@Autowired
	private JdbcTemplate jdbc;

	private SamplePage page;

	@BeforeEach
	void open() {
		this.page = this.browser.open();
	}

	@AfterEach
	void close() {
		this.page.close();
		assertThat(this.page.errors()).isEmpty();
	}

	private long count(String table) {
		return this.jdbc.queryForObject("select count(*) from " + table, Long.class);
	}

	private int charges() {
		return JsonPath.read(answer(this.client.get("alice", "/provider/charges")).body(), "$.count");
	}

	private void assertOneMore(String table, Runnable scenario) {
		long before = count(table);
		scenario.run();
		assertThat(count(table) - before).isEqualTo(1);
	}

	private void assertOneRide(String scenario, Integer... statuses) {
		this.page.choose("ride");
		int charged = charges();
		assertOneMore("ride",
				() -> assertOneMore("receipt", () -> assertThat(this.page.run(scenario)).matches(ONE_RIDE)));
		assertThat(charges() - charged).isEqualTo(1);
		assertThat(this.page.statuses()).startsWith(statuses).endsWith(201);
	}

	@ParameterizedTest
	@ValueSource(strings = { "payment", "order", "ride", "quote" })
	void aRequestIsSentAndThenReplayed(String operation) {
		this.page.choose(operation);
		assertThat(this.page.run("Send")).startsWith("Sent once, made once");
		assertThat(this.page.run("Send"))
			.startsWith(operation.equals("quote") ? "Sent once, made once" : "Sent once, made earlier: nothing new.");
		assertThat(this.page.statuses()).containsExactly(201, 201);
		assertThat(this.page.exchanges().last().textContent()).contains("Idempotent-Replayed: true");
	}

	@ParameterizedTest
	@ValueSource(strings = { "payment", "order", "ride", "quote" })
	void whatIsSentTwiceAtTheSameTimeIsMadeOnce(String operation) {
		this.page.choose(operation);
		String table = operation.equals("order") ? "purchase_order" : operation;
		assertOneMore(table, () -> assertThat(this.page.run("Send twice at the same time"))
			.matches("Sent (twice|\\d times), made once(: .+|, by the ids in the answers\\.)"));
		assertThat(this.page.statuses()).isSubsetOf(201, 409).contains(201);
	}

	@Test
	void theClientsSecondAttemptIsMentionedOnlyWhenThereWasAConflict() {
		this.page.choose("quote");
		List<Integer> statuses = new ArrayList<>(List.of(201, 201, 201, 409));
		this.page.page()
			.route("**/quotes",
					(route) -> route.fulfill(new FulfillOptions().setStatus(statuses.remove(0)).setBody("{\"id\":1}")));
		this.page.run("Send twice at the same time");
		assertThat(this.page.page().locator("#log").textContent()).doesNotContain("409");
		statuses.add(201);
		this.page.run("Send twice at the same time");
		assertThat(this.page.page().locator("#log").textContent()).contains("The client that got a 409");
	}

	@Test
	void theSameAnswerAgainIsCounted() {
		this.page.choose("quote");
		List<Integer> statuses = new ArrayList<>(List.of(409, 409, 409, 201));
		this.page.page()
			.route("**/quotes",
					(route) -> route.fulfill(new FulfillOptions().setStatus(statuses.remove(0)).setBody("{\"id\":1}")));
		this.page.run("Send twice at the same time");
		assertThat(this.page.statuses()).containsExactly(409, 409, 201);
		assertThat(this.page.exchanges().first().textContent()).contains(", 2 times. 409 Conflict.");
		assertThat(this.page.exchanges().last())
			.satisfies((last) -> assertThat(last.getAttribute("value")).as("requests are counted").isEqualTo("4"));
	}

	@Test
	void keysAreShortAndJsonIsIndented() {
		String key = this.page.field("Idempotency-Key").inputValue();
		this.page.run("Send");
		assertThat(this.page.exchanges().locator("code").textContent()).isEqualTo(key.substring(0, 8) + "…");
		assertThat(this.page.exchanges().locator("code").getAttribute("title")).isEqualTo(key);
		assertThat(this.page.exchanges().locator("pre").textContent()).startsWith("{\n  \"id\": ");
	}

	@ParameterizedTest
	@ValueSource(strings = { "payment", "order", "ride" })
	void afterAConnectionThatWasCutTheAnswerIsReplayed(String operation) {
		this.page.choose(operation);
		String table = operation.equals("order") ? "purchase_order" : operation;
		assertOneMore(table, () -> assertThat(this.page.run("Cut the connection after the commit, then retry"))
			.startsWith("Sent twice, made once: 1 " + operation));
		assertThat(this.page.statuses()).containsExactly(0, 201);
		assertThat(this.page.exchanges().last().textContent()).contains("Idempotent-Replayed: true");
	}

	@ParameterizedTest
	@ValueSource(strings = { "payment", "order", "ride", "quote" })
	void anotherBodyIsRefused(String operation) {
		this.page.choose(operation);
		assertThat(this.page.run("Change the body"))
			.matches("Sent twice, made once(: .+|, by the ids in the answers\\.)");
		assertThat(this.page.statuses()).containsExactly(201, 422);
		assertThat(this.page.exchanges().last().textContent()).contains("key-reused");
	}

	@ParameterizedTest
	@ValueSource(strings = { "payment", "ride" })
	void aDeclinedCardStaysDeclined(String operation) {
		this.page.choose(operation);
		int before = charges();
		assertThat(this.page.run("Declined card, twice")).startsWith("Sent twice, no success. New: ");
		assertThat(this.page.statuses()).containsExactly(402, 402);
		assertThat(this.page.exchanges().last().textContent()).contains("Idempotent-Replayed: true");
		assertThat(charges()).isEqualTo(before);
	}

	@Test
	void aRideIsResumedWhenTheProviderIsRepaired() {
		assertOneRide("Fail at the charge, then retry", 503);
	}

	@Test
	void aRideWhoseProviderStaysDownIsLeftToTheOperator() {
		this.page.choose("ride");
		assertThat(this.page.run("Leave it to the operator"))
			.isEqualTo("Sent once, no success. New: 1 ride, 0 charges, 0 receipts.");
		assertThat(this.jdbc.queryForList("select recovery_point from idempotency_lease where namespace <> ''",
				String.class))
			.containsExactly("ride_created");
		// Before the completer finds the provider repaired
		this.jdbc.update("delete from idempotency_lease where namespace <> ''");
		this.page.button("Repair it").click();
		com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat(this.page.page().locator("#provider-state"))
			.hasText("It works.");
	}

	@Test
	void aChargeWhoseAnswerIsLostIsNotMadeAgain() {
		assertOneRide("Lose the provider’s answer, then retry", 503);
	}

	@Test
	void whatAKilledHandlerHasLeftIsFinishedForAClientWhoRetries() {
		assertOneRide("Kill the handler, the client retries", 0, 409);
	}

	@Test
	void whatAKilledHandlerHasLeftIsFinishedByTheCompleter() {
		assertOneRide("Kill the handler, the client gives up", 0, 201);
		assertThat(this.page.exchanges().last().textContent()).contains("Idempotent-Replayed: true");
	}

	@Test
	void aKeyMayBeTypedAndBelongsToItsUser() {
		this.page.field("Idempotency-Key").fill("typed");
		assertThat(this.page.run("Send")).isEqualTo("Sent once, made once: 1 payment.");
		this.page.field("User").selectOption("bob");
		assertThat(this.page.run("Send")).isEqualTo("Sent once, made once: 1 payment.");
		this.page.button("New key").click();
		assertThat(this.page.field("Idempotency-Key").inputValue()).matches("[0-9a-f-]{36}");
	}

	@Test
	void aSwitchOfTheProviderThatIsRefusedEndsTheScenarioWithAReason() {
		this.page.page().route("**/provider/faults", (route) -> route.fulfill(new FulfillOptions().setStatus(403)));
		this.page.choose("ride");
		this.page.button("Fail at the charge, then retry").click();
		com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat(this.page.page().locator("#progress"))
			.hasText("This page could not continue: the switch of the payment provider answered 403.");
		assertThat(this.page.exchanges().count()).isZero();
	}

	@Test
	void aBodyThatIsNotJsonIsNotSent() {
		this.page.field("Body").fill("{");
		this.page.button("Send").click();
		com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat(this.page.page().locator("#body-error"))
			.hasText("This is not JSON.");
		assertThat(this.page.exchanges().count()).isZero();
	}

}
