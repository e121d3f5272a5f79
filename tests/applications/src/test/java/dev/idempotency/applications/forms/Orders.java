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

import java.util.List;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Orders in a table.
 */
@Service
class Orders {

	private final JdbcTemplate jdbc;

	Orders(JdbcTemplate jdbc) {
		this.jdbc = jdbc;
		jdbc.execute("create table if not exists purchase (id bigserial primary key, item varchar(100) not null)");
	}

	@Transactional
	public long place(String item) {
		Long id = this.jdbc.queryForObject("insert into purchase (item) values (?) returning id", Long.class, item);
		if (id == null) {
			throw new IllegalStateException("An insert returns its id");
		}
		return id;
	}

	@Transactional(readOnly = true)
	public List<String> items() {
		return this.jdbc.queryForList("select item from purchase order by id", String.class);
	}

}
