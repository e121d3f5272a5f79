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
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import dev.idempotency.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The same application with pages in JSP.
 */
@Tag("F14")
class JspTests {

	private static final String KEY = "_idempotency_key";

	private static ConfigurableApplicationContext context;

	private static int port;

	private final Browser browser = new Browser(port);

	private final String item = "item-" + UUID.randomUUID();

	@BeforeAll
	static void start() {
		TestDatabase database = TestDatabase.create();
		context = new SpringApplicationBuilder(FormsApplication.class).properties("server.port=0",
				"server.address=127.0.0.1", "spring.main.banner-mode=off", "spring.liquibase.enabled=false",
				"spring.application.name=jsp",
				"spring.autoconfigure.exclude=org.springframework.boot.thymeleaf.autoconfigure.ThymeleafAutoConfiguration",
				"spring.mvc.view.prefix=/WEB-INF/jsp/", "spring.mvc.view.suffix=.jsp",
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

	private long orders() {
		return context.getBean(Orders.class).items().stream().filter(this.item::equals).count();
	}

	@ParameterizedTest
	@ValueSource(strings = { "order", "relative", "here" })
	void theFormOfAProtectedHandlerCarriesAFreshKeyBesideTheToken(String form) {
		String page = this.browser.get("/orders/new").body();
		String again = this.browser.get("/orders/new").body();
		assertThat(Browser.hidden(page, form)).containsOnlyKeys("_csrf", KEY);
		assertThat(Browser.hidden(page, form).get(KEY)).isNotEqualTo(Browser.hidden(again, form).get(KEY));
	}

	@Test
	void otherFormsCarryNoKey() {
		String page = this.browser.get("/orders/new").body();
		assertThat(Browser.hidden(page, "search")).containsOnlyKeys("_csrf");
		assertThat(Browser.hidden(page, "filter")).doesNotContainKey(KEY);
	}

	@Test
	void aDoubleClickIsOneOrder() {
		Map<String, String> form = openForm();
		List<CompletableFuture<HttpResponse<String>>> clicks = List.of(
				CompletableFuture.supplyAsync(() -> this.browser.post("/orders/new", form)),
				CompletableFuture.supplyAsync(() -> this.browser.post("/orders/new", form)));
		List<HttpResponse<String>> answers = clicks.stream().map(CompletableFuture::join).toList();
		assertThat(answers).extracting(HttpResponse::statusCode).containsExactly(302, 302);
		assertThat(answers).extracting((answer) -> answer.headers().firstValue("Idempotent-Replayed").isPresent())
			.containsExactlyInAnyOrder(true, false);
		assertThat(orders()).isEqualTo(1);
		assertThat(this.browser.get("/orders").body()).contains("Thank you for " + this.item, "<li>" + this.item);
	}

	@Test
	void aPageThatAnswersAProtectedFormIsReplayedToTheByte() {
		Map<String, String> form = openForm();
		HttpResponse<String> first = this.browser.post("/orders/here", form);
		HttpResponse<String> second = this.browser.post("/orders/here", form);
		assertThat(first.statusCode()).isEqualTo(200);
		assertThat(first.body()).contains("<li>" + this.item, "</html>");
		assertThat(second.headers().firstValue("Idempotent-Replayed")).contains("true");
		assertThat(second.body()).isEqualTo(first.body());
		assertThat(second.headers().firstValue("Content-Type")).isEqualTo(first.headers().firstValue("Content-Type"));
		assertThat(orders()).isEqualTo(1);
	}

	@Test
	@Tag("X4")
	void aFormWithErrorsIsShownAgainWithAKeyAndTheCorrectedOneRuns() {
		Map<String, String> form = openForm();
		form.put("item", " ");
		HttpResponse<String> refused = this.browser.post("/orders/new", form);
		assertThat(refused.statusCode()).isEqualTo(200);
		assertThat(refused.body()).contains("class=\"error\"");
		assertThat(Browser.hidden(refused.body(), "order")).containsOnlyKeys("_csrf", KEY);
		form.put("item", this.item);
		assertThat(this.browser.post("/orders/new", form).statusCode()).isEqualTo(302);
		assertThat(orders()).isEqualTo(1);
	}

}
