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
package dev.idempotency.applications.protection.jdbc;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;

/**
 * An application without JPA that has annotated an operation.
 */
@SpringBootApplication
public class AnnotatedApplication {

	@RestController
	static class Payments {

		private final JdbcClient jdbc;

		Payments(JdbcClient jdbc) {
			this.jdbc = jdbc;
		}

		@Idempotent
		@PostMapping("/payments")
		int create(@RequestParam String text) {
			return this.jdbc.sql("insert into payment (text) values (?)").param(text).update();
		}

	}

}
