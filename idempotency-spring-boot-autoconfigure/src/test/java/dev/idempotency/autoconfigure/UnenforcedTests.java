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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

import dev.idempotency.Idempotent;
import dev.idempotency.aop.IdempotentAdvisor;
import dev.idempotency.autoconfigure.guard.UnenforcedIdempotentFailureAnalyzer;
import dev.idempotency.engine.IdempotencyEngine;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.exception.UnenforcedIdempotentException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.mockito.Mockito.mock;

/**
 * Annotated operations that nothing would protect.
 */
class UnenforcedTests {

	private final ApplicationContextRunner withoutStore = new ApplicationContextRunner()
		.withConfiguration(TestContexts.LIBRARY)
		.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class));

	private final WebApplicationContextRunner web = TestContexts.web();

	@Test
	void anOperationWithoutADataSourceIsRefused() {
		this.withoutStore.withBean(Payments.class)
			.run((context) -> assertUnenforced(context.getStartupFailure(), "Payments#pay", "has no DataSource",
					"Set spring.datasource.url"));
	}

	@Test
	void anOperationWithoutJpaIsRefusedWithTheConditionThatDidNotMatch() {
		this.withoutStore.withBean(Payments.class)
			.withBean(DataSource.class, () -> mock(DataSource.class))
			.withPropertyValues("idempotency.schema.management=none")
			.run((context) -> assertUnenforced(context.getStartupFailure(), "Payments#pay", "no EntityManagerFactory",
					"Add spring-boot-starter-data-jpa"));
	}

	@Test
	void theConditionsThatDidNotMatchAreShown() {
		this.withoutStore.withBean(Payments.class)
			.run((context) -> assertThat(context.getStartupFailure().getMessage())
				.contains("IdempotencyJpaAutoConfiguration: ", "EntityManagerFactory")
				.contains("IdempotencyAutoConfiguration: ", "IdempotencyStore"));
	}

	@Test
	void severalDataSourcesWithoutAPrimaryOneAreNamed() {
		this.withoutStore.withBean(Payments.class)
			.withBean("first", DataSource.class, () -> mock(DataSource.class))
			.withBean("second", DataSource.class, () -> mock(DataSource.class))
			.withPropertyValues("idempotency.schema.management=none")
			.run((context) -> assertUnenforced(context.getStartupFailure(), "Payments#pay",
					"DataSource beans first, second, of which none is primary", "@Primary"));
	}

	@Test
	void anOperationWithoutJacksonIsRefused() {
		TestContexts.withoutDatabase()
			.withClassLoader(new FilteredClassLoader(JsonMapper.class))
			.withBean(Payments.class)
			.run((context) -> assertUnenforced(context.getStartupFailure(), "Payments#pay",
					"Jackson 3 is not on the class path", "Add spring-boot-starter-jackson"));
	}

	@Test
	void everyOperationIsListed() {
		this.withoutStore.withBean(Payments.class)
			.withBean(Cards.class)
			.run((context) -> assertThat(context.getStartupFailure()).isInstanceOfSatisfying(
					UnenforcedIdempotentException.class, (failure) -> assertThat(failure.getOperations())
						.containsExactlyInAnyOrder("Payments#pay", "Cards#charge")));
	}

	@Test
	void theFailureAnalysisListsTheOperationsAndSaysWhatToWrite() {
		this.withoutStore.withBean(Payments.class).run((context) -> {
			var analysis = new UnenforcedIdempotentFailureAnalyzer().analyze(context.getStartupFailure());
			assertThat(analysis.getDescription()).startsWith("@Idempotent has no effect on:")
				.contains("- Payments#pay");
			assertThat(analysis.getAction()).contains("idempotency.enabled=false");
		});
	}

	@Test
	void controllersWithoutAStoreAreRefused() {
		new WebApplicationContextRunner().withConfiguration(TestContexts.LIBRARY)
			.withBean(Controller.class)
			.run((context) -> assertUnenforced(context.getStartupFailure(), "Controller#pay", "has no DataSource",
					"Set spring.datasource.url"));
	}

	@Test
	void nothingAnnotatedIsNothingToRefuse() {
		this.withoutStore.withBean(Plain.class)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(IdempotencyEngine.class));
	}

	@Test
	void theLibrarySwitchedOffRefusesNothing() {
		this.withoutStore.withBean(Payments.class)
			.withPropertyValues("idempotency.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void lazyBeansAreFoundAndNotCreated() {
		AtomicInteger created = new AtomicInteger();
		this.withoutStore.withBean(Payments.class, () -> {
			created.incrementAndGet();
			return new Payments();
		}, (definition) -> definition.setLazyInit(true))
			.run((context) -> assertUnenforced(context.getStartupFailure(), "Payments#pay", "", ""));
		assertThat(created).hasValue(0);
	}

	@Test
	void beansOfALazyApplicationAreFound() {
		this.withoutStore.withBean(Payments.class)
			.withInitializer((context) -> context
				.addBeanFactoryPostProcessor(new org.springframework.boot.LazyInitializationBeanFactoryPostProcessor()))
			.run((context) -> assertUnenforced(context.getStartupFailure(), "Payments#pay", "", ""));
	}

	@Test
	void prototypesAreFound() {
		this.withoutStore
			.withBean(Payments.class, () -> new Payments(), (definition) -> definition.setScope("prototype"))
			.run((context) -> assertUnenforced(context.getStartupFailure(), "Payments#pay", "", ""));
	}

	@ParameterizedTest
	@ValueSource(strings = { "lazily", "prototype" })
	void aBeanWhoseClassIsNotKnownBeforeIsRefusedWhenItIsCreated(String name) {
		this.withoutStore.withUserConfiguration(Undeclared.class).run((context) -> {
			assertThat(context).hasNotFailed();
			Throwable failure = catchThrowable(() -> context.getBean(name));
			assertThat(failure).rootCause().isInstanceOf(UnenforcedIdempotentException.class);
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "lazily", "prototype" })
	void aBeanWhoseClassIsNotKnownBeforeIsProtectedWhereThereIsAnEngine(String name) {
		TestContexts.withoutDatabase()
			.withUserConfiguration(Undeclared.class)
			.run((context) -> assertThat(IdempotentAdvisor.advises(context.getBean(name))).isTrue());
	}

	@Test
	void aBeanInACircleIsProtected() {
		TestContexts.withoutDatabase()
			.withAllowCircularReferences(true)
			.withUserConfiguration(Circle.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void anApplicationWithoutProxiesIsRefused() {
		TestContexts.withoutDatabase()
			.withPropertyValues("spring.aop.auto=false")
			.withBean(Payments.class)
			.run((context) -> assertUnenforced(context.getStartupFailure(), "Payments#pay",
					"auto-proxy creator is missing", "Remove spring.aop.auto=false"));
	}

	@Test
	void anObjectThatSpringHasNotCreatedIsRefused() {
		TestContexts.withoutDatabase()
			.withInitializer((context) -> context.getBeanFactory().registerSingleton("payments", new Payments()))
			.run((context) -> assertThat(context.getStartupFailure()).isInstanceOf(InvalidIdempotentException.class)
				.hasMessageContaining("Payments#pay has no effect")
				.hasMessageContaining("is not proxied"));
	}

	@Test
	void endpointsOfWebFluxAreRefused() {
		new ReactiveWebApplicationContextRunner().withConfiguration(TestContexts.LIBRARY)
			.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class))
			.withUserConfiguration(TestContexts.OwnStore.class, WebFlux.class)
			.withBean(Controller.class)
			.run((context) -> assertUnenforced(context.getStartupFailure(), "Controller#pay",
					"an endpoint of Spring WebFlux", "Use spring-boot-starter-webmvc"));
	}

	@Test
	void controllersThatNobodySendsRequestsToAreAccepted() {
		TestContexts.withoutDatabase().withBean(Controller.class).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void aClientOfSomebodyElsesEndpointsIsAccepted() {
		HttpServiceProxyFactory clients = HttpServiceProxyFactory
			.builderFor(RestClientAdapter.create(RestClient.create("http://127.0.0.1")))
			.build();
		this.web.withBean(PaymentsApi.class, () -> clients.createClient(PaymentsApi.class))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	static Stream<Arguments> endpoints() {
		return Stream.of(
				Arguments.of(Reading.class, "Reading#read has no effect: it answers GET /read",
						"map the method to POST, PUT, PATCH or DELETE"),
				Arguments.of(ReadingWithKey.class, "ReadingWithKey#read has no effect: it answers GET|HEAD /read",
						"map the method to POST, PUT, PATCH or DELETE"),
				Arguments.of(OnlyReading.class, "none of its methods is an operation with effects",
						"move it to the methods"),
				Arguments.of(StaticMethod.class, "final, private or static", "Make the method neither"),
				Arguments.of(PrivateMethod.class, "final, private or static", "Make the method neither"),
				Arguments.of(FinalClass.class, "FinalClass is final, and cannot be proxied",
						"neither final nor sealed"),
				Arguments.of(RecordClass.class, "RecordClass is a record, and cannot be proxied", "no record"),
				Arguments.of(UnknownVariable.class, "has the variable #nope, which is not a parameter",
						"Write one of its parameters: #id"),
				Arguments.of(Route.class, "a handler of functional routes", "a method of a @RestController"),
				Arguments.of(RouteWithKey.class, "a handler of functional routes", "a method of a @RestController"));
	}

	@ParameterizedTest
	@MethodSource("endpoints")
	void isRefusedAtStartUpWithWhatToWriteInstead(Class<?> bean, String subject, String action) {
		this.web
			.withInitializer((context) -> ((org.springframework.beans.factory.support.BeanDefinitionRegistry) context)
				.registerBeanDefinition("bean", new org.springframework.beans.factory.support.RootBeanDefinition(bean)))
			.run((context) -> {
				assertThat(context).hasFailed();
				Throwable failure = context.getStartupFailure();
				while (!(failure instanceof InvalidIdempotentException) && failure.getCause() != null) {
					failure = failure.getCause();
				}
				assertThat(failure).isInstanceOf(InvalidIdempotentException.class)
					.hasMessageContaining(subject)
					.hasMessageContaining(action);
			});
	}

	@Test
	void aMappedMethodOfABeanThatIsNoControllerIsRefused() {
		this.web.withBean(NoController.class)
			.run((context) -> assertUnenforced(context.getStartupFailure(), "NoController#pay",
					"No handler mapping of Spring MVC leads requests to it",
					"Annotate the class with @RestController"));
	}

	@Test
	void aClassMayHoldMethodsThatOnlyRead() {
		this.web.withBean(ReadingAndPaying.class).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void anHttpExchangeOfAControllerIsAnEndpoint() {
		this.web.withBean(PaymentsServer.class).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void theUnknownVariableOfAnyBeanIsFound() {
		assertThatExceptionOfType(InvalidIdempotentException.class).isThrownBy(() -> {
			throw rootOf(WrongVariable.class);
		}).withMessageContaining("WrongVariable#pay has the variable #nope").withMessageContaining("#id, #amounts");
	}

	@Test
	void theVariablesOfSpelItselfAreKnown() {
		TestContexts.withoutDatabase()
			.withBean(RightVariables.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	private static Throwable rootOf(Class<?> bean) {
		List<Throwable> failures = new java.util.ArrayList<>();
		TestContexts.withoutDatabase().withBean(bean).run((context) -> failures.add(context.getStartupFailure()));
		return failures.get(0);
	}

	private static void assertUnenforced(Throwable failure, String operation, String reason, String action) {
		assertThat(failure).isInstanceOfSatisfying(UnenforcedIdempotentException.class, (unenforced) -> {
			assertThat(unenforced.getOperations()).contains(operation);
			assertThat(unenforced.getReason()).contains(reason);
			assertThat(unenforced.getAction()).contains(action);
		});
	}

	static class Payments {

		@Idempotent(key = "#p0")
		String pay(String id) {
			return id;
		}

	}

	static class Cards {

		@Idempotent(key = "#p0")
		String charge(String id) {
			return id;
		}

	}

	static class Plain {

		String pay(String id) {
			return id;
		}

	}

	@RestController
	static class Controller {

		@Idempotent
		@PostMapping("/payments")
		String pay() {
			return "";
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Undeclared {

		@Bean
		@Lazy
		Object lazily() {
			return new Payments();
		}

		@Bean
		@Scope("prototype")
		Object prototype() {
			return new Payments();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@org.springframework.context.annotation.Import({ First.class, Second.class })
	static class Circle {

	}

	static class First {

		@Autowired
		Second second;

		@Idempotent(key = "#p0")
		String pay(String id) {
			return id;
		}

	}

	static class Second {

		@Autowired
		First first;

		@Idempotent(key = "#p0")
		String pay(String id) {
			return id;
		}

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

	@RestController
	static class Reading {

		@Idempotent
		@GetMapping("/read")
		String read() {
			return "";
		}

	}

	@RestController
	static class ReadingWithKey {

		@Idempotent(key = "#p0")
		@RequestMapping(path = "/read", method = { RequestMethod.GET, RequestMethod.HEAD })
		String read(String id) {
			return "";
		}

	}

	@Idempotent
	@RestController
	static class OnlyReading {

		@GetMapping("/read")
		String read() {
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

	@RestController
	static class StaticMethod {

		@Idempotent
		@PostMapping("/static")
		static String run() {
			return "";
		}

	}

	@RestController
	static class PrivateMethod {

		@Idempotent
		@PostMapping("/private")
		private String run() {
			return "";
		}

	}

	@RestController
	static final class FinalClass {

		@Idempotent
		@PostMapping("/final")
		String run() {
			return "";
		}

	}

	@RestController
	record RecordClass() {

		@Idempotent
		@PostMapping("/record")
		public String run() {
			return "";
		}

	}

	@RestController
	static class UnknownVariable {

		@Idempotent(key = "#nope.id()")
		@PostMapping("/unknown")
		String run(String id) {
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

	static class Route {

		@Idempotent
		ServerResponse pay(ServerRequest request) {
			return ServerResponse.ok().build();
		}

	}

	static class RouteWithKey {

		@Idempotent(key = "#request.path()")
		ServerResponse pay(ServerRequest request) {
			return ServerResponse.ok().build();
		}

	}

	static class WrongVariable {

		@Idempotent(key = "#id + #nope.name")
		String pay(String id, List<Long> amounts) {
			return id;
		}

	}

	static class RightVariables {

		@Idempotent(key = "#id + #a0 + #p1.?[#this > 0].size() + #root")
		String pay(String id, List<Long> amounts) {
			return id;
		}

	}

}
