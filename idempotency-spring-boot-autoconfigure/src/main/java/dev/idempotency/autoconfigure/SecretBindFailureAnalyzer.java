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

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Describes a property of keys or secrets that cannot be bound, without its value, which
 * Spring Boot's own description would show.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class SecretBindFailureAnalyzer extends AbstractFailureAnalyzer<BindException> {

	private static final List<ConfigurationPropertyName> SECRETS = List
		.of(ConfigurationPropertyName.of("idempotency.codec"), ConfigurationPropertyName.of("idempotency.secret"));

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BindException cause) {
		ConfigurationPropertyName name = cause.getName();
		if (SECRETS.stream().noneMatch((secrets) -> secrets.equals(name) || secrets.isAncestorOf(name))) {
			return null;
		}
		ConfigurationProperty property = cause.getProperty();
		return new FailureAnalysis(
				"The property " + ((property != null) ? property.getName() : name)
						+ " does not have the expected form. Its value is not shown, since it may be a secret."
						+ ((property != null && property.getOrigin() != null)
								? " It was set at " + property.getOrigin() + "." : ""),
				"Write keys as idempotency.codec.keys.<id>, secrets as idempotency.secret.identity and "
						+ "idempotency.secret.fingerprint, and all others as the configuration reference says.",
				cause);
	}

}
