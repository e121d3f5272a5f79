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

package dev.idempotency.conformance.app;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The applications of a test class, each shared by the tests with the same settings: a
 * start takes longer than most tests. They are closed after the last test.
 */
public final class SharedApplications implements AfterAllCallback {

	private static final List<String> TABLES = List.of("idempotency_record", "idempotency_lease", "effect");

	private final Map<Settings, RunningApplication> applications = new HashMap<>();

	/**
	 * Returns an application, which is started by the first test that needs it. Its
	 * tables are empty.
	 * @param source a configuration or controller class
	 * @param properties properties as {@code name=value}
	 * @return the running application, which the test does not close
	 */
	public RunningApplication get(Class<?> source, String... properties) {
		Settings settings = new Settings(source, List.of(properties));
		RunningApplication application = this.applications.computeIfAbsent(settings,
				(key) -> RunningApplication.start(source, properties));
		TABLES.forEach((table) -> application.jdbc().update("delete from " + table));
		return application;
	}

	@Override
	public void afterAll(ExtensionContext context) {
		this.applications.values().forEach(RunningApplication::close);
		this.applications.clear();
	}

	private record Settings(Class<?> source, List<String> properties) {

	}

}
