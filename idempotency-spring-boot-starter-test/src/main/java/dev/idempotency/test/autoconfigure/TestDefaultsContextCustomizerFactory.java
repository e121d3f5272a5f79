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
package dev.idempotency.test.autoconfigure;

import java.util.List;
import java.util.Map;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;

/**
 * Properties with other defaults in tests. A request to another system within a
 * TRANSACTIONAL handler is only logged in a running application, and fails a test. Calls
 * of annotated methods on {@code this}, and writes of LEASED handlers outside Spring's
 * transactions, are only looked for in tests.
 */
final class TestDefaultsContextCustomizerFactory implements ContextCustomizerFactory {

	private static final Map<String, Object> DEFAULTS = Map.of("idempotency.client.in-transaction", "fail",
			"idempotency.test.check-self-invocation", "true", "idempotency.test.check-unfenced-writes", "true");

	@Override
	public ContextCustomizer createContextCustomizer(Class<?> testClass,
			List<ContextConfigurationAttributes> configAttributes) {
		return new TestDefaults();
	}

	/**
	 * The defaults. All instances are equal, so that tests share their contexts.
	 */
	private record TestDefaults() implements ContextCustomizer {

		@Override
		public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration mergedConfig) {
			context.getEnvironment()
				.getPropertySources()
				.addLast(new MapPropertySource("idempotencyTestDefaults", DEFAULTS));
		}

	}

}
