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
package dev.idempotency.applications.forms;

import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;

import dev.idempotency.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

/**
 * A person with a browser, who submits forms once, twice, wrongly and again.
 */
class FormsApplicationTests {

	private static final String KEY = "_idempotency_key";

	private static ConfigurableApplicationContext context;

	private static int port;

	private final Browser browser = new Browser(port);

	private final String item = "item-" + UUID.randomUUID();

	@BeforeAll
	static void start() {
		TestDatabase database = TestDatabase.create();
		context = new SpringApplicationBuilder(FormsApplication.class)
			.properties("server.port=0", "server.address=127.0.0.1", "spring.main.banner-mode=off",
					"spring.liquibase.enabled=false", "spring.application.name=forms",
					"spring.datasource.url=" + database.jdbcUrl(), "spring.datasource.username=" + database.username(),
					"spring.datasource.password=" + database.password())
			.run();
		port = ((WebServerApplicationContext) context).getWebServer().getPort();
	}

	@AfterAll
	static void stop() {
		context.close();
	}

	private Map<String, String> openForm() {
		Map<String, String> fields = new HashMap<>(Browser.hidden(this.browser.get("/orders/new").body(), "order"));
		fields.put("item", this.item);
		return fields;
	}

	private static long orders(String item) {
		return context.getBean(Orders.class).items().stream().filter(item::equals).count();
	}

	private static long records() {
		Long count = context.getBean(JdbcTemplate.class)
			.queryForObject("select count(*) from idempotency_record", Long.class);
		return (count != null) ? count : -1;
	}

	@Test
	@Tag("F14")
	void theFormOfAProtectedHandlerCarriesAFreshKeyBesideTheTokenAndOthersDoNot() {
		String page = this.browser.get("/orders/new").body();
		String again = this.browser.get("/orders/new").body();
		assertThat(Browser.hidden(page, "order")).containsOnlyKeys("_csrf", KEY);
		assertThat(Browser.hidden(page, "order").get(KEY)).isNotEqualTo(Browser.hidden(again, "order").get(KEY));
		assertThat(Browser.hidden(page, "search")).containsOnlyKeys("_csrf");
		assertThat(Browser.hidden(page, "filter")).isEmpty();
	}

	@Test
	@Tag("F14")
	void aFormThatIsSubmittedTwiceIsOneOrder() {
		Map<String, String> form = openForm();
		HttpResponse<String> first = this.browser.post("/orders/new", form);
		HttpResponse<String> second = this.browser.post("/orders/new", form);
		assertThat(first.statusCode()).isEqualTo(302);
		assertThat(second.statusCode()).isEqualTo(302);
		assertThat(second.headers().firstValue("Idempotent-Replayed")).contains("true");
		assertThat(second.headers().firstValue("Location")).isEqualTo(first.headers().firstValue("Location"));
		assertThat(orders(this.item)).isEqualTo(1);
	}

	@Test
	@Tag("F14")
	void theFlashMessageOfTheFirstDeliveryIsShownAfterTheSecondOnce() {
		Map<String, String> form = openForm();
		this.browser.post("/orders/new", form);
		this.browser.post("/orders/new", form);
		assertThat(this.browser.get("/orders").body()).contains("Thank you for " + this.item);
		this.browser.post("/orders/new", form);
		assertThat(this.browser.get("/orders").body()).doesNotContain("Thank you for " + this.item);
	}

	@Test
	@Tag("X4")
	void aFormWithErrorsIsRolledBackAndNotStoredAndTheCorrectedOneRunsWithTheSameKey() {
		long records = records();
		Map<String, String> form = openForm();
		form.put("item", " ");
		HttpResponse<String> refused = this.browser.post("/orders/new", form);
		assertThat(refused.statusCode()).isEqualTo(200);
		assertThat(refused.body()).contains("class=\"error\"");
		assertThat(records()).isEqualTo(records);
		assertThat(orders(" ")).isZero();
		assertThat(this.browser.post("/orders/new", form).headers().firstValue("Idempotent-Replayed")).isEmpty();
		form.put("item", this.item);
		HttpResponse<String> corrected = this.browser.post("/orders/new", form);
		assertThat(corrected.statusCode()).isEqualTo(302);
		assertThat(this.browser.post("/orders/new", form).headers().firstValue("Idempotent-Replayed")).contains("true");
		assertThat(orders(this.item)).isEqualTo(1);
	}

	@Test
	@Tag("F14")
	void aFormWithAnotherContentUnderTheSameKeyGetsTheErrorPage() {
		Map<String, String> form = openForm();
		this.browser.post("/orders/new", form);
		form.put("item", this.item + "-changed");
		HttpResponse<String> refused = this.browser.post("/orders/new", form);
		assertThat(refused.statusCode()).isEqualTo(422);
		assertThat(refused.headers().firstValue("Content-Type").orElse("")).startsWith("text/html");
		assertThat(refused.body()).contains("id=\"sorry\">422<");
		assertThat(orders(this.item + "-changed")).isZero();
	}

	@Test
	@Tag("F14")
	@ExtendWith(OutputCaptureExtension.class)
	void theLogSaysOnceWhatToWriteInAFormWithoutAKey(CapturedOutput output) {
		for (int i = 0; i < 2; i++) {
			HttpResponse<String> refused = new Browser(port).post("/open/redirects/" + this.item,
					Map.of("item", this.item));
			assertThat(refused.statusCode()).isEqualTo(400);
		}
		assertThat(orders(this.item)).isZero();
		assertThat(output.getOut().lines().filter((line) -> line.contains("[IDEM-1103]"))).singleElement(STRING)
			.contains("[POST /open/redirects/{item}]", "th:action=", "<form:form>", KEY)
			.doesNotContain(this.item);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/open/redirects/", "/open/links/" })
	@Tag("Y13")
	void noSessionIdIsStoredOrHandedToAnother(String path) {
		Map<String, String> form = Map.of(KEY, this.item);
		HttpResponse<String> first = new Browser(port).post(path + this.item, form);
		HttpResponse<String> second = new Browser(port).post(path + this.item, form);
		assertThat(second.headers().firstValue("Idempotent-Replayed")).contains("true");
		assertThat(List.of(first.body(), String.valueOf(second.headers().firstValue("Location")), second.body()))
			.noneMatch((text) -> text.toLowerCase(Locale.ROOT).contains("jsessionid"));
		assertThat(second.headers().firstValue("Location").isPresent() || !second.body().isEmpty()).isTrue();
		assertThat(orders(this.item)).isEqualTo(1);
	}

}
