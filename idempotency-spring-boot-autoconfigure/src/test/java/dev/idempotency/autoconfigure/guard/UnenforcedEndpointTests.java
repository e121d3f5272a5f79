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
package dev.idempotency.autoconfigure.guard;

import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

import dev.idempotency.Idempotent;
import dev.idempotency.autoconfigure.TestContexts;
import dev.idempotency.exception.UnenforcedIdempotentException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Annotated endpoints, and methods that look like some and get no requests.
 */
class UnenforcedEndpointTests {

	private final WebApplicationContextRunner web = TestContexts.web();

	@Test
	void endpointsOfWebFluxAreRefused() {
		new ReactiveWebApplicationContextRunner().withConfiguration(TestContexts.LIBRARY)
			.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class))
			.withUserConfiguration(TestContexts.OwnStore.class, WebFlux.class)
			.withBean(UnenforcedTests.Controller.class)
			.run((context) -> assertUnenforced(context.getStartupFailure(), "Controller#pay",
					"an endpoint of Spring WebFlux", "Use spring-boot-starter-webmvc"));
	}

	@Test
	void controllersThatNobodySendsRequestsToAreAccepted() {
		TestContexts.withoutDatabase()
			.withBean(UnenforcedTests.Controller.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void aClientOfSomebodyElsesEndpointsIsAccepted() {
		HttpServiceProxyFactory clients = HttpServiceProxyFactory
			.builderFor(RestClientAdapter.create(RestClient.create("http://127.0.0.1")))
			.build();
		this.web.withBean(PaymentsApi.class, () -> clients.createClient(PaymentsApi.class))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void aMappedMethodOfABeanThatIsNoControllerIsRefused() {
		this.web.withBean(NoController.class)
			.run((context) -> assertUnenforced(context.getStartupFailure(), "NoController#pay",
					"No handler mapping of Spring MVC leads requests to it",
					"Annotate the class with @RestController"));
	}

	@Test
	void aControllerBehindAProxyOfItsInterfaceIsRefused() {
		this.web.withPropertyValues("spring.aop.proxy-target-class=false")
			.withBean(PaymentsServer.class)
			.run((context) -> assertUnenforced(context.getStartupFailure(), "PaymentsServer#pay",
					"Spring MVC sees a proxy of its interfaces instead", "Remove spring.aop.proxy-target-class=false"));
	}

	@Test
	void aClassMayHoldMethodsThatOnlyRead() {
		this.web.withBean(ReadingAndPaying.class).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void anHttpExchangeOfAControllerIsAnEndpoint() {
		this.web.withBean(PaymentsServer.class).run((context) -> assertThat(context).hasNotFailed());
	}

	private static void assertUnenforced(Throwable failure, String operation, String reason, String action) {
		assertThat(failure).isInstanceOfSatisfying(UnenforcedIdempotentException.class, (unenforced) -> {
			assertThat(unenforced.getOperations()).contains(operation);
			assertThat(unenforced.getReason()).contains(reason);
			assertThat(unenforced.getAction()).contains(action);
		});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableWebFlux
	static class WebFlux {

	}

	@HttpExchange("/api")
	interface PaymentsApi {

		@Idempotent
		@PostExchange("/payments")
		String pay();

	}

	@RestController
	static class PaymentsServer implements PaymentsApi {

		@Override
		public String pay() {
			return "";
		}

	}

	@Idempotent
	@RestController
	static class ReadingAndPaying {

		@GetMapping("/read")
		String read() {
			return helper();
		}

		@PostMapping("/pay")
		String pay() {
			return helper();
		}

		private String helper() {
			return "";
		}

	}

	static class NoController {

		@Idempotent
		@PostMapping("/payments")
		String pay() {
			return "";
		}

	}

}
