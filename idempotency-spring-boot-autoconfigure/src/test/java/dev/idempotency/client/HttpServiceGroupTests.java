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
package dev.idempotency.client;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.http.client.autoconfigure.service.HttpServiceClientPropertiesAutoConfiguration;
import org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration;
import org.springframework.boot.restclient.autoconfigure.service.HttpServiceClientAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.registry.ImportHttpServices;

import dev.idempotency.autoconfigure.client.IdempotencyClientAutoConfiguration;
import dev.idempotency.engine.identity.OutgoingKey;
import dev.idempotency.testsupport.ScriptedServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * HTTP service interfaces that Spring Boot makes clients for.
 */
class HttpServiceGroupTests {

	private final ScriptedServer server = new ScriptedServer();

	@AfterEach
	void stop() {
		this.server.close();
	}

	@Test
	void clientsOfAGroupSendKeysAndRetry() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(IdempotencyClientAutoConfiguration.class,
					RestClientAutoConfiguration.class, HttpServiceClientPropertiesAutoConfiguration.class,
					HttpServiceClientAutoConfiguration.class))
			.withUserConfiguration(Services.class)
			.withPropertyValues("idempotency.client.enabled=true",
					"spring.http.serviceclient.payments.base-url=" + this.server.address())
			.run((context) -> {
				this.server.reply(503);
				Charges charges = context.getBean(Charges.class);
				assertThat(IdempotencyKeys.operation("order-42", charges::charge)).isEqualTo("done");
				assertThat(this.server.keys()).containsOnly(OutgoingKey.derived("order-42", this.server.address()))
					.hasSize(2);
			});
	}

	@Configuration(proxyBeanMethods = false)
	@ImportHttpServices(group = "payments", types = Charges.class)
	static class Services {

	}

	interface Charges {

		@PostExchange("/charges")
		String charge();

	}

}
