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

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.regex.Pattern;

import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.idempotency.sample.SampleClient.newKey;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Accessibility of the console: by axe, with a keyboard, on a phone, in the dark.
 */
@PageTest
class ConsoleQualityTests {

	private static final int PHONE = 320;

	private static final String PAYMENT = "{\"amountCents\":5000,\"currency\":\"usd\",\"cardToken\":\"tok_visa\"}";

	@Autowired
	private Browser browser;

	@Autowired
	private SampleClient client;

	@Autowired
	private JdbcTemplate jdbc;

	/**
	 * Requests of each kind, without waiting for any to become so.
	 */
	@BeforeEach
	void fill() {
		this.jdbc
			.update("""
					insert into idempotency_lease (id, namespace, account, operation, fingerprint, fence, lease_until,
						created_at, stuck_at, recovery_point, attempts, last_error, node)
					select sha256(convert_to('shown ' || n, 'UTF8')), 'rocket-rides', sha256(convert_to('a' || n % 2, 'UTF8')),
						'POST /rides', '\\x00', n, now() + (n - 3) * interval '10 minutes',
						now() - (6 - n) * interval '7 minutes', case when n < 4 then now() - interval '1 minute' end,
						'ride_created', n,
						'dev.idempotency.exception.RequestInterruptedException < java.net.http.HttpTimeoutException',
						'payments-7d4f9-x' || n % 2 || ':1'
					from generate_series(1, 5) as n""");
	}

	@AfterEach
	void empty() {
		this.jdbc.update("delete from idempotency_lease where namespace <> ''");
	}

	private ConsolePage open(NewContextOptions options) {
		ConsolePage console = this.browser.console(options);
		console.openFirst();
		return console;
	}

	@SuppressWarnings("unchecked")
	private static List<String> axe(ConsolePage console) throws Exception {
		String script = new ClassPathResource("axe.min.js").getContentAsString(StandardCharsets.UTF_8);
		console.page().evaluate(script);
		return (List<String>) console.page()
			.evaluate("() => axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) =>"
					+ " nodes.map(({ html }) => `${id}: ${html}`)))");
	}

	@ParameterizedTest
	@EnumSource(value = ColorScheme.class, names = { "LIGHT", "DARK" })
	void axeFindsNothing(ColorScheme colours) throws Exception {
		try (ConsolePage console = open(new NewContextOptions().setViewportSize(1280, 900).setColorScheme(colours))) {
			assertThat(axe(console)).isEmpty();
			console.button("Abandon…").click();
			assertThat(axe(console)).isEmpty();
		}
		try (ConsolePage console = open(new NewContextOptions().setViewportSize(PHONE, 700).setColorScheme(colours))) {
			assertThat(axe(console)).isEmpty();
		}
	}

	@Test
	void axeFindsWhatIsWrong() throws Exception {
		try (ConsolePage console = open(new NewContextOptions())) {
			console.page().evaluate("() => document.querySelector('main').append(document.createElement('input'))");
			assertThat(axe(console)).singleElement().asString().startsWith("label: <input");
		}
	}

	@Test
	void nothingIsWiderThanAPhone() {
		try (ConsolePage console = open(new NewContextOptions().setViewportSize(PHONE, 700))) {
			assertThat(console.page().evaluate("document.documentElement.scrollWidth")).isEqualTo(PHONE);
			console.button("Abandon…").click();
			assertThat(console.page().evaluate("document.documentElement.scrollWidth")).isEqualTo(PHONE);
			assertThat(console.page()
				.evaluate("document.querySelector('dialog').getBoundingClientRect().right <= " + PHONE))
				.isEqualTo(true);
		}
	}

	@Test
	void aRequestIsAbandonedWithTheKeyboardAlone() {
		try (ConsolePage console = this.browser.console(new NewContextOptions())) {
			assertThat(console.requests()).hasCount(5);
			tabTo(console, "Open POST /rides.*");
			console.page().keyboard().press("Enter");
			assertThat(console.page().locator("#request-title")).isFocused();
			tabTo(console, "Abandon…");
			console.page().keyboard().press("Enter");
			assertThat(console.button("Cancel")).isFocused();
			console.page().keyboard().press("Shift+Tab");
			console.page().keyboard().press("Enter");
			assertThat(console.said()).hasText("POST /rides is abandoned: the sender gets 500.");
			assertThat(console.requests()).hasCount(4);
			assertThat(console.page().locator("#request-title")).isFocused();
			assertThat(console.errors()).isEmpty();
		}
	}

	private static void tabTo(ConsolePage console, String name) {
		for (int i = 0; i < 40; i++) {
			String focused = String.valueOf(console.page()
				.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"));
			if (focused.matches(name)) {
				return;
			}
			console.page().keyboard().press("Tab");
		}
		throw new AssertionError("The keyboard does not get to " + name);
	}

	@Test
	void anUpdateTakesNoFocusAway() {
		try (ConsolePage console = this.browser.console(new NewContextOptions())) {
			console.requests().nth(2).getByRole(AriaRole.BUTTON).focus();
			this.jdbc.update("delete from idempotency_lease where attempts = 1 and namespace <> ''");
			assertThat(console.requests()).hasCount(4);
			assertThat(console.requests().nth(1).getByRole(AriaRole.BUTTON)).isFocused();
			this.jdbc.update("delete from idempotency_lease where namespace <> ''");
			assertThat(console.requests()).hasCount(0);
			assertThat(console.page().locator("#requests-section")).isFocused();
		}
	}

	@Test
	void landmarksAndLiveRegionsHaveNames() {
		try (ConsolePage console = open(new NewContextOptions())) {
			assertThat(console.page().getByRole(AriaRole.MAIN)).hasCount(1);
			assertThat(console.connection()).hasRole(AriaRole.STATUS);
			assertThat(console.said()).hasRole(AriaRole.STATUS);
			assertThat(console.page().getByRole(AriaRole.TABLE)).hasAccessibleName("Requests without an answer");
		}
	}

	@Test
	void itIsSmallAndAllItsOwn() {
		try (ConsolePage console = this.browser.console(new NewContextOptions())) {
			assertThat(console.responses()).allMatch((response) -> response.url().contains("/actuator/"));
			assertThat(console.responses()
				.stream()
				.filter((response) -> response.url().contains("idempotencyconsole"))
				.mapToInt((response) -> response.body().length)
				.sum()).isBetween(10_000, 60_000);
			assertThat(console.page()
				.evaluate("() => { const script = document.createElement('script'); "
						+ "script.textContent = 'window.strange = true'; document.body.append(script); "
						+ "return window.strange === undefined; }"))
				.isEqualTo(true);
			console.page().waitForCondition(() -> !console.errors().isEmpty());
			assertThat(console.errors()).singleElement().asString().contains("Content Security Policy");
		}
	}

	@Test
	void timesAreThoseOfTheReader() {
		try (ConsolePage console = open(new NewContextOptions().setTimezoneId("Asia/Kolkata").setLocale("en-GB"))) {
			String utc = console.page().locator("#life time").first().getAttribute("datetime");
			String shown = console.page().locator("#life time").first().textContent();
			String expected = Instant.parse(utc)
				.atZone(ZoneId.of("Asia/Kolkata"))
				.toLocalTime()
				.truncatedTo(ChronoUnit.SECONDS)
				.format(DateTimeFormatter.ISO_LOCAL_TIME);
			assertThat(shown).endsWith(expected);
		}
	}

	@Test
	void theConsoleHasAPicture() throws Exception {
		try (ConsolePage console = this.browser.console(new NewContextOptions().setViewportSize(1100, 860))) {
			for (int bars = 1; bars <= 5; bars++) {
				for (int i = 0; i < bars * 2; i++) {
					String key = newKey();
					for (int delivery = 0; delivery <= i % 3; delivery++) {
						this.client.post("alice", "/payments", key, PAYMENT).expectStatus().isCreated();
					}
				}
				assertThat(console.page().locator("#plot-replayed path")).hasAttribute("d",
						Pattern.compile("(M[^M]+){" + bars + ",}"));
			}
			Path picture = Path.of("target", "console.png");
			Picture.write(console.page().screenshot(new Page.ScreenshotOptions().setClip(0, 0, 1100, 860)), picture);
			assertThat(Files.size(picture)).isBetween(20_000L, 200_000L);
		}
	}

}
