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
package dev.idempotency.applications.protection.jooq;

import dev.idempotency.Idempotent;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application that writes by jOOQ in the transaction of the record, and answers with
 * the number of rows.
 */
@SpringBootApplication
public class AnnotatedJooqApplication {

	@RestController
	static class Payments {

		private final DSLContext jooq;

		Payments(DSLContext jooq) {
			this.jooq = jooq;
		}

		@Idempotent
		@PostMapping("/payments")
		public int create() {
			this.jooq.insertInto(DSL.table("payment"), DSL.field("text")).values("rent").execute();
			return this.jooq.fetchCount(DSL.table("payment"));
		}

	}

}
