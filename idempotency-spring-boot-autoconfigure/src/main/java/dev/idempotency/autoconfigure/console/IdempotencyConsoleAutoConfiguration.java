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
package dev.idempotency.autoconfigure.console;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.util.ClassUtils;

import dev.idempotency.autoconfigure.guard.EnforcementImport;
import dev.idempotency.console.IdempotencyConsoleEndpoint;
import dev.idempotency.job.StagedJobs;
import dev.idempotency.outbox.Outbox;

/**
 * Auto-configuration of the operator's console, where its endpoint is available: its
 * access is not {@code none}, and it is exposed.
 */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
@ConditionalOnWebApplication(type = Type.SERVLET)
@ConditionalOnClass({ IdempotencyConsoleEndpoint.class, ConditionalOnAvailableEndpoint.class })
@ImportRuntimeHints(IdempotencyConsoleAutoConfiguration.Hints.class)
@Import(EnforcementImport.class)
public final class IdempotencyConsoleAutoConfiguration {

	private static final boolean CSRF = ClassUtils.isPresent("org.springframework.security.web.csrf.CsrfToken",
			IdempotencyConsoleAutoConfiguration.class.getClassLoader());

	private static final boolean OUTBOX = ClassUtils.isPresent("dev.idempotency.outbox.Outbox",
			IdempotencyConsoleAutoConfiguration.class.getClassLoader());

	@Bean
	@ConditionalOnAvailableEndpoint
	@ConditionalOnMissingBean
	IdempotencyConsoleEndpoint idempotencyConsoleEndpoint(ObjectProvider<WebEndpointsSupplier> endpoints,
			ListableBeanFactory beans) {
		return new IdempotencyConsoleEndpoint(endpoints::getObject, IdempotencyConsoleAutoConfiguration::csrf,
				() -> features(beans));
	}

	private static Set<String> features(ListableBeanFactory beans) {
		Set<String> features = new TreeSet<>();
		if (has(beans, StagedJobs.class)) {
			features.add("idempotencyjobs");
		}
		if (OUTBOX && has(beans, Outbox.class)) {
			features.add("idempotencyoutbox");
		}
		return features;
	}

	private static boolean has(ListableBeanFactory beans, Class<?> type) {
		return beans.getBeanNamesForType(type, true, false).length > 0;
	}

	/**
	 * Returns the token of Spring Security, where the application uses it. Its filter
	 * adds it to the request; it is created, with its session, when it is read.
	 */
	private static Map<String, String> csrf(HttpServletRequest request) {
		return (CSRF && request.getAttribute(CsrfToken.class.getName()) instanceof CsrfToken token)
				? Map.of(token.getHeaderName(), token.getToken()) : Map.of();
	}

	/**
	 * Keeps the console's files in a native image.
	 */
	static final class Hints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			hints.resources().registerPattern("dev/idempotency/console/*");
		}

	}

}
