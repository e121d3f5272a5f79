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
package dev.idempotency.applications.plain.devtools;

import java.io.IOException;
import java.sql.SQLException;

import dev.idempotency.Idempotent;
import dev.idempotency.applications.plain.Facts;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.devtools.restart.Restarter;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Profile;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application in the class loader of devtools, which starts it a second time.
 */
@SpringBootApplication
public class DevtoolsApplication {

	/**
	 * The name of the start in the second class loader.
	 */
	public static final String SECOND = "second start";

	private static final String STARTS = "devtools.starts";

	/**
	 * Devtools calls it again, for each of its class loaders.
	 * @param args the name of the start, that of this class, and its arguments
	 * @throws SQLException if a database does not answer
	 * @throws IOException if the application does not answer
	 * @throws InterruptedException if it was waiting for the application
	 */
	public static void main(String[] args) throws SQLException, IOException, InterruptedException {
		// Devtools ends the first call, in the thread of the process.
		int starts = Integer.getInteger(STARTS, 0);
		System.setProperty(STARTS, String.valueOf(starts + 1));
		System.out.println("FACT name " + ((starts == 2) ? SECOND : "start " + starts));
		ConfigurableApplicationContext context = SpringApplication.run(DevtoolsApplication.class, args);
		Facts.print(context, args);
		if (starts == 1) {
			Restarter.getInstance().restart();
		}
		else {
			context.close();
		}
	}

	@RestController
	@Profile("!annotated")
	static class Plain {

		private final JdbcClient jdbc;

		Plain(JdbcClient jdbc) {
			this.jdbc = jdbc;
		}

		@PostMapping("/payments")
		int create(@RequestParam String text) {
			return this.jdbc.sql("insert into payment (text) values (?)").param(text).update();
		}

	}

	/**
	 * The class path without the starter has no annotation, which Java ignores on a class
	 * that is not used.
	 */
	@RestController
	@Profile("annotated")
	static class Annotated {

		private final JdbcClient jdbc;

		Annotated(JdbcClient jdbc) {
			this.jdbc = jdbc;
		}

		@Idempotent
		@PostMapping("/payments")
		int create() {
			return this.jdbc.sql("insert into payment (text) values ('rent')").update();
		}

	}

}
