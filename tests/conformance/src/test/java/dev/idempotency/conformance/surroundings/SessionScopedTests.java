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
package dev.idempotency.conformance.surroundings;

import java.io.Serializable;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

import javax.sql.DataSource;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.datasource.init.DataSourceInitializer;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.core.io.ClassPathResource;
import org.springframework.session.jdbc.config.annotation.web.http.EnableJdbcHttpSession;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.annotation.SessionScope;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.Exchanges.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Protected beans in a session that Spring Session serialises into a table after each
 * request.
 */
@Tag("O7")
class SessionScopedTests {

	private static final TestDatabase database = MigratedDatabase.create();

	private static RunningApplication application;

	private final String key = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		application = RunningApplication.start(database, List.of(Carts.class));
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	void aProtectedBeanOfASessionIsStoredWithItAndStillProtected() {
		HttpResponse<byte[]> first = post("/carts/" + this.key, null);
		assertThat(first.statusCode()).as(text(first)).isEqualTo(200);
		assertThat(text(first)).isEqualTo("1 of 1");
		String cookie = first.headers().firstValue("Set-Cookie").orElseThrow().split(";")[0];
		assertThat(text(post("/carts/" + this.key, cookie))).as("replayed").isEqualTo("1 of 1");
		assertThat(text(post("/carts/" + this.key + "-2", cookie))).isEqualTo("2 of 2");
		assertThat(text(application.send(application.request(ALICE, "/carts").header("Cookie", cookie).GET())))
			.isEqualTo("2");
	}

	private static HttpResponse<byte[]> post(String path, String cookie) {
		var request = application.json(ALICE, path, "{}");
		return application.send((cookie != null) ? request.header("Cookie", cookie) : request);
	}

	@SessionScope
	static class Cart implements Serializable {

		private static final long serialVersionUID = 1L;

		private final List<String> items = new ArrayList<>();

		@Idempotent(key = "#item")
		public int add(String item) {
			this.items.add(item);
			return this.items.size();
		}

		public int size() {
			return this.items.size();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableJdbcHttpSession
	@Import({ Cart.class, CartController.class })
	static class Carts {

		@Bean
		static DataSourceInitializer sessionTables(DataSource dataSource) {
			DataSourceInitializer tables = new DataSourceInitializer();
			tables.setDataSource(dataSource);
			String name = database.kind().name().toLowerCase(Locale.ROOT);
			String platform = name.contains("h2") ? "h2" : "postgresql";
			tables.setDatabasePopulator(new ResourceDatabasePopulator(
					new ClassPathResource("org/springframework/session/jdbc/schema-" + platform + ".sql")));
			return tables;
		}

	}

	@RestController
	static class CartController {

		private final Cart cart;

		CartController(Cart cart) {
			this.cart = cart;
		}

		@PostMapping("/carts/{item}")
		String add(@PathVariable String item) {
			return this.cart.add(item) + " of " + this.cart.size();
		}

		@GetMapping("/carts")
		String size() {
			return String.valueOf(this.cart.size());
		}

	}

}
