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
package dev.idempotency.provider;

import java.net.URI;
import java.util.List;
import java.util.Map;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.support.EnvironmentPostProcessorApplicationListener;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.web.context.support.StandardServletEnvironment;

/**
 * The running provider, on a free port of the loopback interface. It has an application
 * context and a separate environment: of the configuration of the surrounding
 * application, only the arguments here reach it.
 */
public final class PaymentProviderServer implements AutoCloseable {

	private final ServletWebServerApplicationContext context;

	private PaymentProviderServer(ServletWebServerApplicationContext context) {
		this.context = context;
	}

	/**
	 * Starts the provider. Its state is in the schema {@code provider}, which is created
	 * on demand.
	 * @param database where the database is; not closed with the provider
	 * @param settings the start-up settings
	 * @return the provider, which accepts requests, to be closed by the caller
	 */
	public static PaymentProviderServer start(JdbcConnectionDetails database, ProviderSettings settings) {
		SpringApplication application = new SpringApplication(PaymentProviderApplication.class);
		application.setWebApplicationType(WebApplicationType.SERVLET);
		application.setEnvironment(new OwnEnvironment());
		// The one that reads payment-provider.yml. Others set up singletons of the JVM,
		// such as the logging, which belong to the application.
		application.setListeners(List.of(new EnvironmentPostProcessorApplicationListener()));
		ApplicationContextInitializer<ConfigurableApplicationContext> handOver = (context) -> {
			// As singletons and not as definitions: these a context destroys when it
			// closes, and the database would be gone before the application is.
			context.getBeanFactory().registerSingleton("database", database);
			context.getBeanFactory().registerSingleton("settings", settings);
		};
		application.addInitializers(handOver);
		return new PaymentProviderServer((ServletWebServerApplicationContext) application.run());
	}

	/**
	 * Returns the address of the provider.
	 * @return the root of its API
	 */
	public URI address() {
		int port = this.context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
		return URI.create("http://127.0.0.1:" + port);
	}

	/**
	 * Stops the provider, after the requests in flight.
	 */
	@Override
	public void close() {
		this.context.close();
	}

	/**
	 * An environment without system properties and environment variables:
	 * {@code SERVER_PORT} is the application's.
	 */
	private static final class OwnEnvironment extends StandardServletEnvironment {

		@Override
		protected void customizePropertySources(MutablePropertySources propertySources) {
			propertySources
				.addLast(new MapPropertySource("provider", Map.of("spring.config.name", "payment-provider")));
		}

	}

}
