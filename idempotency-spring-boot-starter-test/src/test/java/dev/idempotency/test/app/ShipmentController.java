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
package dev.idempotency.test.app;

import dev.idempotency.Idempotent;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * Has its effects in a database, where there is one.
 */
@RestController
class ShipmentController {

	private final ObjectProvider<JdbcTemplate> jdbc;

	ShipmentController(ObjectProvider<JdbcTemplate> jdbc) {
		this.jdbc = jdbc;
	}

	@Idempotent
	@PostMapping("/shipments")
	String ship(@RequestBody String item) {
		this.jdbc.getObject().update("insert into shipment (item) values (?)", item);
		if (item.equals("broken")) {
			throw new IllegalStateException("It broke");
		}
		return "shipped " + item;
	}

}
