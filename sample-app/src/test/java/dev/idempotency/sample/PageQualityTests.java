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
import java.util.List;

import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Response;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.core.io.ClassPathResource;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.JdbcTemplate;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Accessibility of the page: with a keyboard, on a phone, in the dark, with a screen
 * reader.
 */
@PageTest
class PageQualityTests {

	private static final int PHONE = 360;

	@Autowired
	private Browser browser;

	@Autowired
	private SampleClient client;

	@Autowired
	private JdbcTemplate jdbc;

	@AfterEach
	void repair() {
		this.client.request("ops", HttpMethod.PUT, "/provider/faults")
			.contentType(MediaType.APPLICATION_JSON)
			.body("{\"mode\":\"none\"}")
			.exchange()
			.expectStatus()
			.is2xxSuccessful();
		this.jdbc.update("delete from idempotency_lease where namespace <> ''");
	}

	/**
	 * All that the page can show at once: exchanges of each kind.
	 */
	private static void fill(SamplePage page) {
		page.choose("ride");
		page.run("Cut the connection after the commit, then retry");
		page.run("Change the body");
		page.run("Leave it to the operator");
	}

	@SuppressWarnings("unchecked")
	private static List<String> audit(SamplePage page, String function) throws Exception {
		String script = new ClassPathResource("page-audit.js").getContentAsString(StandardCharsets.UTF_8);
		return (List<String>) page.page().evaluate("() => { " + script + "; return " + function + "(); }");
	}

	@Test
	void aScenarioIsRunWithTheKeyboardAlone() {
		try (SamplePage page = this.browser.open()) {
			page.tabTo(page.field("Operation"));
			page.page().keyboard().type("Order");
			assertThat(page.field("Operation")).hasValue("order");
			page.tabTo(page.button("Cut the connection after the commit, then retry"));
			page.page().keyboard().press("Enter");
			assertThat(page.verdictAfter(0)).isEqualTo("Sent twice, made once: 1 order.");
			assertThat(page.button("Cut the connection after the commit, then retry")).isFocused();
			page.tabTo(page.page().getByText("operator's console"));
			assertThat(page.errors()).isEmpty();
		}
	}

	@Test
	void nothingIsWiderThanAPhone() {
		try (SamplePage page = this.browser.open(new NewContextOptions().setViewportSize(PHONE, 740))) {
			fill(page);
			assertThat(page.page().evaluate("document.documentElement.scrollWidth")).isEqualTo(PHONE);
		}
	}

	@ParameterizedTest
	@EnumSource(value = ColorScheme.class, names = { "LIGHT", "DARK" })
	void everythingCanBeReadAndHasAName(ColorScheme colours) throws Exception {
		try (SamplePage page = this.browser
			.open(new NewContextOptions().setViewportSize(1280, 900).setColorScheme(colours))) {
			fill(page);
			assertThat(audit(page, "weakContrasts")).isEmpty();
			assertThat(audit(page, "nameless")).isEmpty();
			assertThat(audit(page, "brokenReferences")).isEmpty();
			assertThat(page.page().getByRole(AriaRole.MAIN)).hasCount(1);
			assertThat(page.page().getByRole(AriaRole.LOG)).hasAttribute("aria-live", "polite");
		}
	}

	@Test
	void theAuditFindsWhatIsWrong() throws Exception {
		try (SamplePage page = this.browser.open()) {
			page.page()
				.evaluate("() => { const p = document.createElement('p'); p.textContent = 'pale'; "
						+ "p.style.color = '#ccc'; p.setAttribute('aria-describedby', 'nothing'); "
						+ "document.querySelector('main').append(p, document.createElement('input')); }");
			assertThat(audit(page, "weakContrasts")).singleElement().asString().contains("pale");
			assertThat(audit(page, "nameless")).hasSize(1);
			assertThat(audit(page, "brokenReferences")).singleElement().asString().contains("nothing");
		}
	}

	@Test
	void whoWantsNoMotionGetsNone() {
		try (SamplePage page = this.browser
			.open(new NewContextOptions().setReducedMotion(com.microsoft.playwright.options.ReducedMotion.REDUCE))) {
			page.run("Send");
			assertThat(page.exchanges().last().evaluate("(entry) => getComputedStyle(entry).animationName"))
				.isEqualTo("none");
		}
	}

	@Test
	void thePageIsSmallAndAllItsOwn() {
		try (SamplePage page = this.browser.open()) {
			List<Response> responses = page.responses();
			assertThat(responses.stream().mapToInt((response) -> response.body().length).sum()).isBetween(10_000,
					60_000);
			assertThat(responses).allMatch((response) -> response.url().startsWith(page.page().url()));
			assertThat(responses).allMatch((response) -> response.status() == 200);
			assertThat(page.errors()).isEmpty();
		}
	}

	@Test
	void aScriptThatIsNotThePagesOwnDoesNotRun() {
		try (SamplePage page = this.browser.open()) {
			assertThat(page.page()
				.evaluate("() => { const script = document.createElement('script'); "
						+ "script.textContent = 'window.strange = true'; document.body.append(script); "
						+ "return window.strange === undefined; }"))
				.isEqualTo(true);
			page.page().waitForCondition(() -> !page.errors().isEmpty());
			assertThat(page.errors()).singleElement().asString().contains("Content Security Policy");
		}
	}

	@Test
	void thePageHasAPicture() throws Exception {
		try (SamplePage page = this.browser.open(new NewContextOptions().setViewportSize(1100, 860))) {
			page.choose("ride");
			page.run("Cut the connection after the commit, then retry");
			Path picture = Path.of("target", "page.png");
			Picture.write(page.page().screenshot(new Page.ScreenshotOptions().setFullPage(true)), picture);
			assertThat(Files.size(picture)).isBetween(20_000L, 200_000L);
		}
	}

}
