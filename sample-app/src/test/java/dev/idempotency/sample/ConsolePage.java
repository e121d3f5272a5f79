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

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Response;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

/**
 * The operator's console, as somebody uses it who sees roles and names.
 */
final class ConsolePage implements AutoCloseable {

	static final String PATH = "/actuator/idempotencyconsole";

	/**
	 * A lease has to run out, the completer to come by, and the console to ask again.
	 */
	private static final double PATIENCE_MILLIS = 60_000;

	private final BrowserContext context;

	private final Page page;

	private final List<String> errors = new ArrayList<>();

	private final List<Response> responses = new ArrayList<>();

	ConsolePage(BrowserContext context, String address) {
		PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE_MILLIS);
		this.context = context;
		this.page = context.newPage();
		this.page.onPageError(this.errors::add);
		this.page.onConsoleMessage((message) -> {
			if (message.type().equals("error") && !message.text().startsWith("Failed to load resource")) {
				this.errors.add(message.text());
			}
		});
		this.page.onResponse(this.responses::add);
		this.page.navigate(address + PATH);
		assertThat(connection()).hasText("Live, every 5 seconds.");
	}

	BrowserContext context() {
		return this.context;
	}

	Page page() {
		return this.page;
	}

	List<String> errors() {
		return List.copyOf(this.errors);
	}

	List<Response> responses() {
		return List.copyOf(this.responses);
	}

	Locator connection() {
		return this.page.locator("#connection");
	}

	Locator said() {
		return this.page.locator("#said");
	}

	Locator requests() {
		return this.page.locator("#requests tr[data-id]");
	}

	Locator button(String name) {
		return this.page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
	}

	Locator field(String label) {
		return this.page.getByLabel(label, new Page.GetByLabelOptions().setExact(true));
	}

	/**
	 * Opens the first request of the list.
	 */
	void openFirst() {
		requests().first().getByRole(AriaRole.BUTTON).click();
		assertThat(this.page.locator("#request-title")).isFocused();
	}

	/**
	 * Presses a button that asks, and says yes.
	 */
	void confirm(String button, String yes) {
		button(button).click();
		this.page.getByRole(AriaRole.DIALOG)
			.getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName(yes).setExact(true))
			.click();
	}

	@Override
	public void close() {
		this.context.close();
	}

}
