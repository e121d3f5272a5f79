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

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.AriaRole;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.JdbcTemplate;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * An operator's view and actions on the page.
 */
@PageTest
class OperatorPageTests {

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
		this.page.choose("ride");
	}

	@AfterEach
	void close() {
		this.page.close();
		this.client.request("ops", HttpMethod.PUT, "/provider/faults")
			.contentType(MediaType.APPLICATION_JSON)
			.body("{\"mode\":\"none\"}")
			.exchange()
			.expectStatus()
			.is2xxSuccessful();
		this.jdbc.update("delete from idempotency_lease");
		assertThat(this.page.errors()).isEmpty();
	}

	private String leaveARide() {
		String key = this.page.field("Idempotency-Key").inputValue();
		assertThat(this.page.run("Leave it to the operator"))
			.isEqualTo("Sent once, no success. New: 1 ride, 0 charges, 0 receipts.");
		this.page.signIn();
		this.page.awaitStuck();
		return key;
	}

	@Test
	void aStuckRequestIsShownWithWhatIsKnownOfIt() {
		leaveARide();
		Locator cells = this.page.requests().first().getByRole(AriaRole.CELL);
		assertThat(cells.nth(0)).hasText("POST /rides");
		assertThat(cells.nth(2)).hasText("ride_created");
		// By its sender, and twice by the completer.
		assertThat(cells.nth(3)).hasText("3");
		assertThat(cells.nth(5)).containsText("ServiceUnavailable");
		assertThat(this.page.page().locator("#summary div").filter(new Locator.FilterOptions().setHasText("Stuck")))
			.hasText("Stuck1");
	}

	@Test
	void aStuckRequestThatIsRetriedGoesOn() {
		leaveARide();
		this.page.button("Repair it").click();
		assertThat(this.page.page().locator("#provider-state")).hasText("It works.");
		this.page.requests().first().getByText("Retry").click();
		assertThat(this.page.page().locator("#ops-status"))
			.hasText("POST /rides is tried again from its recovery point.");
		assertThat(this.page.requests()).hasCount(0);
		assertThat(this.page.run("Send")).isEqualTo("Sent once, made before: nothing is new.");
		assertThat(this.jdbc.queryForObject("select status from ride order by created_at desc limit 1", String.class))
			.isEqualToIgnoringCase("booked");
	}

	@Test
	void aStuckRequestThatIsGivenUpHasTheOperatorsAnswer() {
		String key = leaveARide();
		this.page.requests().first().getByText("Abandon").click();
		this.page.field("Status that its sender gets").fill("502");
		this.page.field("Text").fill("The rocket is gone.");
		this.page.button("Give up").click();
		assertThat(this.page.page().locator("#ops-status")).hasText("POST /rides is given up: its sender gets 502.");
		assertThat(this.page.requests()).hasCount(0);
		this.page.run("Send");
		assertThat(this.page.statuses()).endsWith(502);
		assertThat(this.page.exchanges().last()).containsText("The rocket is gone.");
		this.page.field("Look a key up").fill(key);
		this.page.field("in").selectOption("POST /rides");
		this.page.button("Look up").click();
		assertThat(this.page.page().locator("#found")).containsText("Statefinished");
		assertThat(this.page.page().locator("#found")).containsText("Status502");
	}

	@Test
	void aDialogThatIsCancelledChangesNothing() {
		leaveARide();
		this.page.requests().first().getByText("Abandon").click();
		assertThat(this.page.page().locator("dialog")).isVisible();
		this.page.page().keyboard().press("Escape");
		assertThat(this.page.page().locator("dialog")).isHidden();
		assertThat(this.page.requests()).hasCount(1);
		assertThat(this.jdbc.queryForList("select stuck_at from idempotency_lease where stuck_at is not null"))
			.hasSize(1);
	}

	@Test
	void whatIsPausedStaysAsItIs() {
		leaveARide();
		this.page.button("Pause").click();
		assertThat(this.page.page().locator("#live")).hasText("Paused.");
		int before = this.page.responses().size();
		this.jdbc.update("delete from idempotency_lease");
		this.page.button("New key").click();
		assertThat(this.page.requests()).hasCount(1);
		assertThat(this.page.responses()).hasSize(before);
		this.page.button("Pause").click();
		assertThat(this.page.requests()).hasCount(0);
	}

	@Test
	void aRiderIsNoOperator() {
		this.page.field("Operator").fill("alice");
		this.page.field("Password").fill("alice");
		this.page.button("Sign in").click();
		assertThat(this.page.page().locator("#ops-status")).hasText("That is not an operator.");
		assertThat(this.page.page().locator("#dashboard")).isHidden();
	}

}
