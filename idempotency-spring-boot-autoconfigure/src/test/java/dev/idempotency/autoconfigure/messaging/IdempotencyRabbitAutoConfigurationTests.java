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
package dev.idempotency.autoconfigure.messaging;

import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.config.RabbitListenerConfigUtils;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpointRegistry;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import dev.idempotency.Idempotent;
import dev.idempotency.autoconfigure.TestContexts;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.messaging.RabbitInbox;

import static org.assertj.core.api.Assertions.assertThat;

class IdempotencyRabbitAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = TestContexts.withoutDatabase()
		.withConfiguration(AutoConfigurations.of(RabbitAutoConfiguration.class))
		.withPropertyValues("spring.rabbitmq.listener.simple.auto-startup=false");

	@Test
	void protectsTheContainerOfAnAnnotatedListener() {
		this.contextRunner.withUserConfiguration(Listening.class)
			.run((context) -> assertThat(isProtected(context)).isTrue());
	}

	@Test
	void protectsAListenerWhoseDeclaredTypeHidesIt() {
		this.contextRunner.withUserConfiguration(Hiding.class)
			.run((context) -> assertThat(isProtected(context)).isTrue());
	}

	@Test
	void protectsTheContainersOfTheRegistryOfTheApplication() {
		this.contextRunner.withUserConfiguration(OwnRegistry.class, Listening.class).run((context) -> {
			assertThat(context).getBean(RabbitListenerEndpointRegistry.class).isInstanceOf(OwnRegistry.Registry.class);
			assertThat(isProtected(context)).isTrue();
		});
	}

	@Test
	void leavesAListenerAloneThatIsNotAnnotated() {
		this.contextRunner.withUserConfiguration(Plain.class)
			.run((context) -> assertThat(isProtected(context)).isFalse());
	}

	@Test
	@Tag("M3")
	void refusesAContainerWhoseMessagesAreGoneBeforeTheirTransaction() {
		this.contextRunner.withPropertyValues("spring.rabbitmq.listener.simple.acknowledge-mode=none")
			.withUserConfiguration(Listening.class)
			.run((context) -> assertThat(failure(context)).contains("AcknowledgeMode.NONE"));
	}

	@Test
	@Tag("M3")
	void refusesABatchThatItsListenerAcknowledges() {
		this.contextRunner
			.withPropertyValues("spring.rabbitmq.listener.simple.acknowledge-mode=manual",
					"spring.rabbitmq.listener.simple.consumer-batch-enabled=true")
			.withUserConfiguration(Batch.class)
			.run((context) -> assertThat(failure(context)).contains("acknowledges them itself"));
	}

	@Test
	void isNotThereWithoutRabbit() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("org.springframework.amqp.rabbit"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("idempotencyRabbitInbox"));
	}

	@Test
	void backsOffWithoutAStore() {
		new ApplicationContextRunner().withConfiguration(TestContexts.LIBRARY)
			.withConfiguration(AutoConfigurations.of(RabbitAutoConfiguration.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(RabbitInbox.class));
	}

	private static boolean isProtected(AssertableApplicationContext context) {
		AbstractMessageListenerContainer container = (AbstractMessageListenerContainer) context
			.getBean(RabbitListenerEndpointRegistry.class)
			.getListenerContainer("payments");
		return container.getMessageListener().getClass().getPackage() == RabbitInbox.class.getPackage();
	}

	private static String failure(AssertableApplicationContext context) {
		assertThat(context).getFailure().isInstanceOf(InvalidIdempotentException.class);
		return String.valueOf(context.getStartupFailure());
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnRegistry {

		@Bean(RabbitListenerConfigUtils.RABBIT_LISTENER_ENDPOINT_REGISTRY_BEAN_NAME)
		RabbitListenerEndpointRegistry ownRegistry() {
			return new Registry();
		}

		static class Registry extends RabbitListenerEndpointRegistry {

		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Listening {

		@Bean
		AnnotatedListener listener() {
			return new AnnotatedListener();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Hiding {

		@Bean
		Object listener() {
			return new AnnotatedListener();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Plain {

		@RabbitListener(id = "payments", queues = "payments")
		void onMessage(String message) {
		}

	}

	static class AnnotatedListener {

		@Idempotent
		@RabbitListener(id = "payments", queues = "payments")
		void onMessage(String message) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Batch {

		@Bean
		BatchListener batch() {
			return new BatchListener();
		}

	}

	static class BatchListener {

		@Idempotent
		@RabbitListener(id = "payments", queues = "payments", batch = "true")
		void onMessages(List<String> messages) {
		}

	}

}
