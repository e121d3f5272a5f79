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

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.TestComponent;
import org.springframework.context.annotation.Lazy;

/**
 * A headless Chromium, the one that is installed.
 */
@Lazy
@TestComponent
class Browser implements DisposableBean {

	/**
	 * Of system property {@code browser.executable}, or where Debian has it.
	 */
	private static final Path EXECUTABLE = Path.of(System.getProperty("browser.executable", "/usr/bin/chromium"));

	private final String address;

	private final Playwright playwright;

	private final com.microsoft.playwright.Browser chromium;

	Browser(@Value("${local.server.port}") int port) {
		this.address = "http://localhost:" + port;
		this.playwright = Playwright
			.create(new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
		this.chromium = this.playwright.chromium()
			.launch(new BrowserType.LaunchOptions().setExecutablePath(EXECUTABLE)
				.setHeadless(true)
				.setArgs(List.of("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
						"--disable-background-networking", "--disable-component-update", "--disable-sync")));
	}

	/**
	 * Opens the page with nothing remembered.
	 * @return the page, to be closed
	 */
	SamplePage open() {
		return open(new com.microsoft.playwright.Browser.NewContextOptions().setViewportSize(1280, 900));
	}

	SamplePage open(com.microsoft.playwright.Browser.@Nullable NewContextOptions options) {
		BrowserContext context = this.chromium.newContext(options);
		return new SamplePage(context, this.address);
	}

	/**
	 * Opens the operator's console as ops.
	 * @param options size and colours
	 * @return the console, to be closed
	 */
	ConsolePage console(com.microsoft.playwright.Browser.NewContextOptions options) {
		return new ConsolePage(this.chromium.newContext(options.setHttpCredentials("ops", "ops")), this.address);
	}

	@Override
	public void destroy() {
		this.chromium.close();
		this.playwright.close();
	}

}
