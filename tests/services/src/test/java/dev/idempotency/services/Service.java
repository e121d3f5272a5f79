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
package dev.idempotency.services;

import java.util.ArrayList;
import java.util.List;

import dev.idempotency.testsupport.JavaProcess;
import dev.idempotency.testsupport.TestDatabase;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * A service in a separate process, which is killed and started again, and its database.
 */
final class Service implements AutoCloseable {

	private final Class<?> application;

	private final List<String> arguments;

	private final JdbcClient jdbc;

	private JavaProcess process;

	Service(Class<?> application, TestDatabase database, String... properties) {
		this.application = application;
		this.arguments = new ArrayList<>(List.of("--spring.datasource.url=" + database.jdbcUrl(),
				"--spring.datasource.username=" + database.username(),
				"--spring.datasource.password=" + database.password(), "--spring.main.banner-mode=off"));
		this.arguments.addAll(List.of(properties));
		this.jdbc = JdbcClient
			.create(new DriverManagerDataSource(database.jdbcUrl(), database.username(), database.password()));
		this.process = start();
	}

	private JavaProcess start() {
		return JavaProcess.start(this.application, this.arguments);
	}

	/**
	 * {@code kill -9}, and start another at once.
	 */
	void killAndRestart() {
		this.process.kill();
		this.process = start();
	}

	JdbcClient jdbc() {
		return this.jdbc;
	}

	/**
	 * Returns the number of rows of a table; zero before the service has created it.
	 */
	long count(String table) {
		boolean there = this.jdbc.sql("select to_regclass(?) is not null").param(table).query(Boolean.class).single();
		return there ? this.jdbc.sql("select count(*) from " + table).query(Long.class).single() : 0;
	}

	@Override
	public void close() {
		this.process.close();
	}

}
