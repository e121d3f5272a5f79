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
import java.util.regex.Pattern;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Response;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.LoadState;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

/**
 * The page at {@code /}, as somebody uses it who sees roles and names.
 */
final class SamplePage implements AutoCloseable {

	/**
	 * A lease has to run out, and the completer to come by.
	 */
	private static final double PATIENCE_MILLIS = 60_000;

	private final BrowserContext context;

	private final Page page;

	private final List<String> errors = new ArrayList<>();

	private final List<Response> responses = new ArrayList<>();

	SamplePage(BrowserContext context, String address) {
		this.context = context;
		this.page = context.newPage();
		this.page.onPageError(this.errors::add);
		this.page.onConsoleMessage((message) -> {
			// The browser says that of each answer from 400 on, which are shown on
			// purpose.
			if (message.type().equals("error") && !message.text().startsWith("Failed to load resource")) {
				this.errors.add(message.text());
			}
		});
		this.page.onResponse(this.responses::add);
		this.page.navigate(address + "/");
		assertThat(button("Send")).isVisible();
	}

	Page page() {
		return this.page;
	}

	List<String> errors() {
		return List.copyOf(this.errors);
	}

	/**
	 * All that was loaded, as soon as nothing more is.
	 */
	List<Response> responses() {
		this.page.waitForLoadState(LoadState.NETWORKIDLE);
		// Whatever asks the browser for something may let another one in.
		return List.copyOf(this.responses);
	}

	Locator button(String name) {
		return this.page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
	}

	Locator field(String label) {
		return this.page.getByLabel(label, new Page.GetByLabelOptions().setExact(true));
	}

	void choose(String operation) {
		field("Operation").selectOption(operation);
	}

	/**
	 * Presses a button and waits until the scenario has ended.
	 * @return what the page says then
	 */
	String run(String scenario) {
		int before = verdicts().count();
		button(scenario).click();
		return verdictAfter(before);
	}

	String verdictAfter(int count) {
		// A page that could not continue says so, and shows no verdict.
		assertThat(this.page.locator("#progress")).hasText(Pattern.compile("Done\\.|This page could not continue.*"),
				new LocatorAssertions.HasTextOptions().setTimeout(PATIENCE_MILLIS));
		assertThat(this.page.locator("#progress")).hasText("Done.");
		assertThat(verdicts()).hasCount(count + 1);
		assertThat(verdicts().last()).not().hasClass(Pattern.compile("wrong"));
		return verdicts().last().textContent();
	}

	Locator verdicts() {
		return this.page.locator("#log .verdict");
	}

	/**
	 * The statuses in the log, 0 for a connection without an answer.
	 */
	List<Integer> statuses() {
		return exchanges().all().stream().map((entry) -> Integer.valueOf(entry.getAttribute("data-status"))).toList();
	}

	Locator exchanges() {
		return this.page.locator("#log .exchange");
	}

	/**
	 * Moves the focus with the tabulator to the element.
	 */
	void tabTo(Locator target) {
		for (int i = 0; i < 60; i++) {
			if ((boolean) target.evaluate("(element) => element === document.activeElement")) {
				return;
			}
			this.page.keyboard().press("Tab");
		}
		throw new AssertionError("The keyboard does not get to " + target);
	}

	@Override
	public void close() {
		this.context.close();
	}

}
