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
package dev.idempotency.messagingtests.inbox;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.simple.JdbcClient;

import dev.idempotency.testsupport.TestDatabase;

/**
 * The business rows of the listeners.
 */
class Effects {

	private final JdbcClient jdbc;

	private final AtomicInteger calls = new AtomicInteger();

	Effects(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	static TestDatabase createDatabase() {
		TestDatabase database = TestDatabase.create();
		database.execute("CREATE TABLE effect (id bigserial PRIMARY KEY, listener text, payload text)");
		return database;
	}

	/**
	 * Writes a row, in the transaction of the caller.
	 */
	void add(String listener, @Nullable String payload) {
		this.calls.incrementAndGet();
		this.jdbc.sql("INSERT INTO effect (listener, payload) VALUES (?, ?)").params(listener, payload).update();
	}

	/**
	 * Returns the number of writes of a listener of this application, committed or not.
	 */
	int calls() {
		return this.calls.get();
	}

	/**
	 * The payloads of the committed rows, in the order in which they were written.
	 */
	List<@Nullable String> of(String listener) {
		return this.jdbc.sql("SELECT payload FROM effect WHERE listener = ? ORDER BY id")
			.param(listener)
			.query((row, number) -> row.getString(1))
			.list();
	}

	int records() {
		return this.jdbc.sql("SELECT count(*) FROM idempotency_record").query(Integer.class).single();
	}

}
