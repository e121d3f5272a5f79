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
package dev.idempotency.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.origin.Origin;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

import dev.idempotency.exception.InvalidIdempotentException;

/**
 * Describes an invalid annotation or property with its correction, and the origin of the
 * property.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class InvalidIdempotentFailureAnalyzer extends AbstractFailureAnalyzer<InvalidIdempotentException> {

	private final @Nullable Environment environment;

	/**
	 * Creates the analyzer.
	 * @param environment the application's environment, {@code null} if there is none yet
	 */
	InvalidIdempotentFailureAnalyzer(@Nullable Environment environment) {
		this.environment = environment;
	}

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidIdempotentException cause) {
		Origin origin = origin(cause.getProperty());
		return new FailureAnalysis(
				(origin != null) ? cause.getSubject() + " It was set at " + origin + "." : cause.getSubject(),
				cause.getAction(), cause);
	}

	private @Nullable Origin origin(@Nullable String property) {
		if (property == null || this.environment == null) {
			return null;
		}
		ConfigurationPropertyName name = ConfigurationPropertyName.of(property);
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(this.environment)) {
			ConfigurationProperty found = source.getConfigurationProperty(name);
			if (found != null) {
				return found.getOrigin();
			}
		}
		return null;
	}

}
