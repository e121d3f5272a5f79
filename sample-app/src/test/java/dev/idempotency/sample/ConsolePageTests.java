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

import java.nio.file.Files;
import java.util.Map;
import java.util.regex.Pattern;

import com.jayway.jsonpath.JsonPath;
import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.Download;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Response;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import dev.idempotency.sample.SampleClient.StoredResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.JdbcTemplate;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.idempotency.sample.SampleClient.answer;
import static dev.idempotency.sample.SampleClient.newKey;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * An operator at the console, in a real browser.
 */
@PageTest
@Tag("Y7")
class ConsolePageTests {

	private static final String RIDE = "{\"originLat\":0,\"originLon\":0,\"targetLat\":4,\"targetLon\":3}";

	private static final Pattern NODE = Pattern.compile("\\S+:\\d+");

	private static final Pattern ENDED = Pattern.compile(": attempt 3 has ended without an answer");

	@Autowired
	private Browser browser;

	@Autowired
	private SampleClient client;

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
		provider("none");
		this.jdbc.update("delete from idempotency_lease where namespace <> ''");
		assertThat(this.console.errors()).isEmpty();
	}

	private void provider(String mode) {
		this.client.request("ops", HttpMethod.PUT, "/provider/faults")
			.contentType(MediaType.APPLICATION_JSON)
			.body("{\"mode\":\"" + mode + "\"}")
			.exchange()
			.expectStatus()
			.is2xxSuccessful();
	}

	private StoredResponse ride(String key) {
		return answer(this.client.post("alice", "/rides", key, RIDE));
	}

	/**
	 * Leaves a ride behind until it needs an operator.
	 */
	private String stuckRide() {
		String key = newKey();
		provider("unavailable");
		assertThat(ride(key).status()).isEqualTo(503);
		assertThat(this.console.requests().first().getByRole(AriaRole.CELL).nth(1)).hasText("stuck");
		return key;
	}

	private Locator figure(String name) {
		return this.console.page()
			.locator(".figures div")
			.filter(new Locator.FilterOptions().setHasText(Pattern.compile("^" + name)));
	}

	@Test
	void aStuckRequestIsListedAndOpenedWithItsTimes() {
		stuckRide();
		Locator cells = this.console.requests().first().getByRole(AriaRole.CELL);
		assertThat(cells.nth(0)).hasText("POST /rides");
		assertThat(cells.nth(3)).hasText(Pattern.compile("[0-9a-f]{8}"));
		assertThat(cells.nth(4)).hasText("ride_created");
		assertThat(cells.nth(5)).hasText(NODE);
		assertThat(cells.nth(6)).hasText("3");
		assertThat(cells.nth(7)).containsText("ServiceUnavailable");
		assertThat(figure("Stuck")).hasText("Stuck1");
		assertThat(figure("Reaper")).containsText("alive");
		assertThat(figure("Completer")).containsText("alive");
		this.console.openFirst();
		Locator life = this.console.page().locator("#life li");
		assertThat(life).hasText(new Pattern[] { Pattern.compile(": claimed for the first time"), ENDED,
				Pattern.compile(": became stuck") });
		assertThat(figure("Node")).hasText(Pattern.compile("Node" + NODE));
		for (int i = 0; i < 3; i++) {
			assertThat(life.nth(i).locator("time")).hasAttribute("title", Pattern.compile(".*Z \\(UTC\\)"));
		}
		assertThat(this.console.page().locator("#delivery")).containsText("Gets 409 stuck");
		assertThat(this.console.page().locator("#content")).isHidden();
	}

	@Test
	void stuckRequestsStandOut() {
		assertThat(figure("Stuck")).hasText("Stuck0");
		assertThat(figure("Stuck")).not().hasClass("alarm");
		stuckInTheTable(3);
		assertThat(figure("Stuck")).hasText("Stuck3");
		assertThat(figure("Stuck")).hasClass("alarm");
	}

	@Test
	void causesAreWords() {
		stuckInTheTable(1);
		this.jdbc.update("update idempotency_lease set last_error = 'a.FirstException < b.CauseException < c.Root' "
				+ "where namespace <> ''");
		assertThat(this.console.requests().first().getByRole(AriaRole.CELL).nth(7))
			.hasText("Failed with FirstException, caused by CauseException, caused by Root");
	}

	@Test
	void aRequestIsOpenedWhereItWasClicked() {
		stuckInTheTable(3);
		assertThat(this.console.requests()).hasCount(3);
		this.console.requests().nth(1).getByRole(AriaRole.BUTTON).click();
		assertThat(this.console.page().locator("#request-title")).isFocused();
		assertThat(this.console.page().locator("#requests > tr:nth-child(3) #request")).isVisible();
		this.jdbc.update("delete from idempotency_lease where id = sha256(convert_to('many 1', 'UTF8'))");
		assertThat(this.console.requests()).hasCount(2);
		assertThat(this.console.page().locator("#requests > tr:nth-child(2) #request")).isVisible();
		this.jdbc.update("delete from idempotency_lease where id = sha256(convert_to('many 2', 'UTF8'))");
		assertThat(this.console.requests()).hasCount(1);
		assertThat(this.console.page().locator("#request")).isVisible();
		assertThat(this.console.page().locator("#request-title")).isFocused();
		this.console.button("Close").click();
		assertThat(this.console.page().locator("#request")).isHidden();
	}

	@Test
	void anAccountThatTheOperatorHasNamedIsRecognised() {
		String key = stuckRide();
		assertThat(this.console.requests().first().getByRole(AriaRole.CELL).nth(3)).not().hasText("alice");
		this.console.field("Account").fill("alice");
		this.console.field("Key").fill(key);
		this.console.button("Find by key").click();
		assertThat(figure("Account")).hasText(Pattern.compile("Accountalice \\([0-9a-f]{8}\\)"));
		assertThat(this.console.requests().first().getByRole(AriaRole.CELL).nth(3)).hasText("alice");
	}

	@Test
	void aSectionKnowsWhetherThereIsNothingOrWhetherItIsNotExposed() {
		assertThat(this.console.page().locator("#outbox-missing")).hasText("This application has no outbox.");
		this.console.page().route("**/settings", (route) -> {
			String settings = route.fetch().text().replace("\"idempotencyjobs\":{", "\"hidden\":{");
			route.fulfill(new Route.FulfillOptions().setBody(settings).setContentType("application/json"));
		});
		assertThat(this.console.page().locator("#jobs-missing")).hasText(
				"The endpoint idempotencyjobs is not exposed: add it to management.endpoints.web.exposure.include.");
	}

	@Test
	void thePlotsSayThatThereWereNoRequests() {
		this.console.page().route("**/metrics/**", (route) -> route.fulfill(new Route.FulfillOptions().setStatus(404)));
		this.console.page().reload();
		assertThat(this.console.page().locator("#plot-executed")).containsText("No requests yet");
		assertThat(this.console.page().locator("#plot-executed svg")).isHidden();
		this.console.page().unroute("**/metrics/**");
		assertThat(ride(newKey()).status()).isEqualTo(201);
		assertThat(this.console.page().locator("#plot-executed svg")).isVisible();
	}

	@Test
	void aStuckRequestThatIsRetriedGoesOn() {
		String key = stuckRide();
		this.console.openFirst();
		provider("none");
		this.console.confirm("Retry…", "Retry");
		assertThat(this.console.said()).hasText("POST /rides is retried.");
		assertThat(this.console.requests()).hasCount(0);
		this.console.button("Reload").click();
		assertThat(this.console.page().locator("#life")).containsText("answered with 201");
		assertThat(this.console.page().locator("#delivery"))
			.hasText("Gets the stored answer again, 201. Nothing runs.");
		assertThat(this.console.button("Retry…")).isDisabled();
		assertThat(ride(key).replayed()).isTrue();
	}

	@Test
	void aRequestThatIsAbandonedHasTheOperatorsAnswer() {
		String key = stuckRide();
		this.console.openFirst();
		this.console.button("Abandon…").click();
		assertThat(this.console.page().locator("#confirm-who")).hasText("This is logged with your name, ops.");
		this.console.field("Status for the sender").fill("502");
		this.console.field("Text for the sender").fill("The rocket is gone.");
		this.console.button("Abandon").click();
		assertThat(this.console.said()).hasText("POST /rides is abandoned: the sender gets 502.");
		StoredResponse retry = ride(key);
		assertThat(retry.status()).isEqualTo(502);
		assertThat(retry.body()).contains("The rocket is gone.");
	}

	@Test
	void thePageOfTheSampleLeadsHere() {
		try (SamplePage sample = this.browser.open(new NewContextOptions().setHttpCredentials("ops", "ops"))) {
			sample.page().getByText("operator's console").click();
			assertThat(sample.page().locator("#connection")).hasText("Live, every 5 seconds.");
		}
	}

	@Test
	void aDialogThatIsCancelledChangesNothing() {
		stuckRide();
		this.console.openFirst();
		this.console.button("Abandon…").click();
		assertThat(this.console.button("Cancel")).isFocused();
		this.console.page().keyboard().press("Escape");
		assertThat(this.console.page().getByRole(AriaRole.DIALOG)).isHidden();
		assertThat(this.console.button("Abandon…")).isFocused();
		assertThat(this.jdbc.queryForObject("select count(*) from idempotency_lease where stuck_at is not null",
				Integer.class))
			.isEqualTo(1);
	}

	@Test
	void aRequestIsFoundByItsKeyAndByTheDigitsOfALogLine() {
		String key = newKey();
		assertThat(ride(key).status()).isEqualTo(201);
		this.console.field("Account").fill("alice");
		this.console.field("Key").fill(key);
		this.console.button("Find by key").click();
		assertThat(this.console.page().locator("#life")).containsText("answered with 201");
		String title = this.console.page().locator("#request-title").textContent();
		this.console.button("Close").click();
		assertThat(this.console.page().locator("#request")).isHidden();
		this.console.field("Request id, or its first 12 digits from a log line").fill(title.replace("Request ", ""));
		this.console.button("Find by id").click();
		assertThat(this.console.page().locator("#request-title")).hasText(title);
		this.console.field("Request id, or its first 12 digits from a log line").fill("000000000000");
		this.console.button("Find by id").click();
		assertThat(this.console.said()).hasText("No request has this id.");
		assertThat(this.console.page().url()).doesNotContain(key);
	}

	@Test
	void whatHappensIsPlotted() {
		String key = newKey();
		for (int i = 0; i < 3; i++) {
			assertThat(ride(key).status()).isEqualTo(201);
		}
		this.client.post("alice", "/rides", key, RIDE.replace("4", "5")).expectStatus().isEqualTo(422);
		assertThat(this.console.page().locator("#plot-executed .rate")).containsText(Pattern.compile("^[1-9]"));
		assertThat(this.console.page().locator("#plot-replayed .rate")).containsText("2 in the last minute");
		assertThat(this.console.page().locator("#plot-mismatched .rate")).containsText("1 in the last minute");
		assertThat(this.console.page().locator("#plot-replayed svg")).hasAttribute("aria-label",
				Pattern.compile("Replayed: 2 in .*"));
		assertThat(this.console.page().locator("#plot-replayed path")).hasAttribute("d", Pattern.compile("M.*"));
	}

	@Test
	void aRequestIsExported() throws Exception {
		stuckRide();
		this.console.openFirst();
		Download download = this.console.page().waitForDownload(() -> this.console.button("Export").click());
		assertThat(download.suggestedFilename()).matches("request-[0-9a-f]{12}\\.json");
		String json = Files.readString(download.path());
		assertThat(JsonPath.<String>read(json, "$.state")).isEqualTo("stuck");
		assertThat(JsonPath.<String>read(json, "$.recoveryPoint")).isEqualTo("ride_created");
	}

	@Test
	void aDeadJobIsDiscarded() {
		this.jdbc.update("""
				insert into idempotency_dead_job (id, namespace, type, attempts, staged_at, died_at, last_error)
				values (gen_random_uuid(), 'rocket-rides', 'send-receipt', 3, now(), now(), 'java.io.IOException')""");
		Locator job = this.console.page().locator("#jobs li");
		assertThat(job).containsText(Pattern.compile("send-receipt: died \\d+ s ago after 3 attempts, IOException"));
		assertThat(figure("Dead jobs")).hasText("Dead jobs1");
		job.getByText("Discard…").click();
		this.console.button("Discard").click();
		assertThat(this.console.said()).hasText(Pattern.compile("The job [0-9a-f-]{36} is deleted\\."));
		assertThat(job).hasCount(0);
		assertThat(this.console.page().locator("#jobs-title")).isFocused();
		assertThat(this.jdbc.queryForObject("select count(*) from idempotency_dead_job", Integer.class)).isZero();
	}

	@Test
	void anAccountIsPurged() {
		String key = newKey();
		this.client.post("bob", "/rides", key, RIDE).expectStatus().isCreated();
		assertThat(this.console.field("Account to purge")).isHidden();
		this.console.page().getByText("Purge an account…").click();
		this.console.field("Account to purge").fill("bob");
		this.console.confirm("Purge…", "Purge");
		assertThat(this.console.said()).hasText(Pattern.compile("Purged: [1-9].*"));
		assertThat(answer(this.client.post("bob", "/rides", key, RIDE)).replayed()).isFalse();
	}

	@Test
	void itSaysWhenTheServerIsGoneAndWhenItIsBack() {
		this.console.context().setOffline(true);
		assertThat(this.console.connection()).containsText("The server does not answer. The page shows the state of");
		this.console.context().setOffline(false);
		assertThat(this.console.connection()).containsText("The server has been back");
	}

	@Test
	void whatOneEndpointRefusesHidesNothingElse() {
		this.console.page().route("**/metrics/**", (route) -> route.fulfill(new Route.FulfillOptions().setStatus(403)));
		assertThat(this.console.connection())
			.hasText("Live, every 5 seconds. Part of the page cannot be loaded: Your account may not do this.");
		stuckInTheTable(1);
		assertThat(this.console.requests()).hasCount(1);
	}

	@Test
	void whereNothingMayBeChangedItSaysWhy() {
		stuckRide();
		this.console.page().route("**/settings", (route) -> {
			String settings = route.fetch().text().replace("\"writable\":true", "\"writable\":false");
			route.fulfill(new Route.FulfillOptions().setBody(settings).setContentType("application/json"));
		});
		this.console.page().getByText("Purge an account…").click();
		assertThat(this.console.button("Purge…")).isDisabled();
		this.console.openFirst();
		assertThat(this.console.button("Retry…")).isDisabled();
		assertThat(this.console.button("Abandon…")).isDisabled();
		assertThat(this.console.page().locator("#request-writes"))
			.hasText("Read-only: actions need management.endpoint.idempotency.access=unrestricted.");
	}

	@Test
	void withoutTheMetricsItSaysWhatIsMissing() {
		this.console.page().route("**/settings", (route) -> {
			String settings = route.fetch().text().replace("\"metrics\"", "\"other\"");
			route.fulfill(new Route.FulfillOptions().setBody(settings).setContentType("application/json"));
		});
		assertThat(this.console.page().locator("#plots-missing")).containsText("add it to management.endpoints");
	}

	@Test
	void whatIsPausedAsksNothing() {
		this.console.button("Pause").click();
		assertThat(this.console.connection()).hasText("Paused.");
		this.console.page().waitForLoadState(com.microsoft.playwright.options.LoadState.NETWORKIDLE);
		stuckInTheTable(1);
		this.console.button("Pause").click();
		assertThat(this.console.requests()).hasCount(1);
	}

	private void stuckInTheTable(int count) {
		this.jdbc.update("""
				insert into idempotency_lease (id, namespace, account, operation, fingerprint, fence, lease_until,
					created_at, stuck_at, last_error, node)
				select sha256(convert_to('many ' || n, 'UTF8')), 'rocket-rides', '\\x01', 'POST /rides', '\\x00', n,
					now() - interval '1 hour', now() - interval '2 days' + n * interval '1 second', now(),
					'java.io.IOException', 'gone:1'
				from generate_series(1, ?) as n""", count);
	}

	@Test
	void aHundredThousandOpenRequestsAreReadPageByPage() {
		stuckInTheTable(100_000);
		assertThat(this.console.requests()).hasCount(50);
		String first = this.console.requests().first().getAttribute("data-id");
		for (int page = 2; page <= 4; page++) {
			Response response = this.console.page()
				.waitForResponse(
						(answer) -> answer.url().contains("/idempotency/open") && answer.url().contains("after="),
						() -> this.console.button("Next page").click());
			assertThat(response.status()).isEqualTo(200);
			assertThat(response.request().timing().responseEnd).as("milliseconds").isLessThan(2_000);
			assertThat(this.console.page().locator("#page")).hasText("Page " + page);
		}
		assertThat(this.console.requests()).hasCount(50);
		assertThat(this.console.requests().first()).not().hasAttribute("data-id", first);
		assertThat(figure("Stuck")).hasText("Stuck10000");
		this.console.button("First page").click();
		assertThat(this.console.requests().first()).hasAttribute("data-id", first);
		assertThat(this.console.field("Show")).isFocused();
	}

	@Test
	void whoIsNoOperatorGetsNoConsole() {
		for (String part : Map.of("page", "", "script", "/main.js", "settings", "/settings").values()) {
			this.client.get("alice", ConsolePage.PATH + part).expectStatus().isForbidden();
		}
	}

}
