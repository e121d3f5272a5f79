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
package dev.idempotency.applications.plain;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import dev.idempotency.testsupport.DatabaseKind;
import dev.idempotency.testsupport.TestDatabase;

/**
 * A start of an application or a test slice, which runs with the starter and, where there
 * is something to compare, without it.
 *
 * @param name a name that is unique within its process
 * @param application the name of its class
 * @param arguments makes its arguments, without the dashes
 * @param annotated whether it is run with the starter alone
 */
record Start(String name, String application, Supplier<List<String>> arguments, boolean annotated) {

	/**
	 * The packages of the applications that have annotated something; Kotlin is compiled
	 * apart.
	 */
	static final String PROTECTION = "dev.idempotency.applications.protection.";

	private static final List<String> COMMON = List.of("server.port=0", "spring.main.banner-mode=off",
			"spring.jmx.enabled=false", "logging.config=classpath:plain/logback.xml");

	static Start compared(String name, Class<?> application, String... arguments) {
		return compared(name, application.getName(), () -> List.of(arguments));
	}

	static Start compared(String name, String application, Supplier<List<String>> arguments) {
		return new Start(name, application, arguments, false);
	}

	static Start annotated(String name, String application, Supplier<List<String>> arguments) {
		return new Start(name, application, arguments, true);
	}

	/**
	 * Arguments for an empty database.
	 * @param statement a statement that prepares it
	 * @param more further arguments
	 */
	static Supplier<List<String>> onPostgres(String statement, String... more) {
		return () -> {
			TestDatabase database = TestDatabase.create(DatabaseKind.POSTGRESQL);
			if (!statement.isEmpty()) {
				database.execute(statement);
			}
			List<String> arguments = new ArrayList<>(List.of("spring.datasource.url=" + database.jdbcUrl(),
					"spring.datasource.username=" + database.username(),
					"spring.datasource.password=" + database.password()));
			arguments.addAll(List.of(more));
			return arguments;
		};
	}

	/**
	 * The command line.
	 */
	List<String> commandLine() {
		List<String> line = new ArrayList<>(List.of(this.name, this.application));
		COMMON.forEach((argument) -> line.add("--" + argument));
		this.arguments.get().forEach((argument) -> line.add("--" + argument));
		return line;
	}

}
