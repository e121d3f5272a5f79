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

import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.KafkaListenerConfigUtils;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;

import dev.idempotency.Idempotent;
import dev.idempotency.autoconfigure.TestContexts;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.messaging.IdempotentKafkaListenerRegistry;
import dev.idempotency.messaging.KafkaListeners;

import static org.assertj.core.api.Assertions.assertThat;

class IdempotencyKafkaAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = TestContexts.withoutDatabase()
		.withConfiguration(AutoConfigurations.of(KafkaAutoConfiguration.class))
		.withPropertyValues("spring.kafka.listener.auto-startup=false");

	@Test
	void seesEveryContainerThatTheRegistryMakes() {
		this.contextRunner.withUserConfiguration(Listening.class)
			.run((context) -> assertThat(context).hasSingleBean(KafkaListenerEndpointRegistry.class)
				.getBean(KafkaListenerEndpointRegistry.class)
				.isInstanceOf(IdempotentKafkaListenerRegistry.class));
	}

	@Test
	void leavesTheRegistryAloneWhereNoListenerIsAnnotated() {
		this.contextRunner.withUserConfiguration(Plain.class)
			.run((context) -> assertThat(context).hasNotFailed()
				.getBean(KafkaListenerEndpointRegistry.class)
				.hasSameClassAs(new KafkaListenerEndpointRegistry()));
	}

	@Test
	void refusesAListenerWhoseDeclaredTypeHidesIt() {
		this.contextRunner.withUserConfiguration(Hiding.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOfSatisfying(InvalidIdempotentException.class, (failure) -> assertThat(failure.getAction())
					.contains("Declare AnnotatedListener as the return type")));
	}

	@Test
	void isSwitchedOffByThePropertyOfMessaging() {
		this.contextRunner.withPropertyValues("idempotency.messaging.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(KafkaListeners.class)
				.getBean(KafkaListenerEndpointRegistry.class)
				.hasSameClassAs(new KafkaListenerEndpointRegistry()));
	}

	@Test
	void leavesTheRegistryOfTheApplicationAlone() {
		this.contextRunner.withUserConfiguration(OwnRegistry.class)
			.run((context) -> assertThat(context).hasNotFailed()
				.getBean(KafkaListenerEndpointRegistry.class)
				.isInstanceOf(OwnRegistry.Registry.class));
	}

	@Test
	void isNotThereWithoutKafka() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("org.springframework.kafka"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("idempotencyKafkaListeners"));
	}

	@Test
	void backsOffWithoutAStore() {
		new ApplicationContextRunner().withConfiguration(TestContexts.LIBRARY)
			.withConfiguration(AutoConfigurations.of(KafkaAutoConfiguration.class))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(KafkaListeners.class)
				.getBean(KafkaListenerEndpointRegistry.class)
				.hasSameClassAs(new KafkaListenerEndpointRegistry()));
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnRegistry {

		@Bean(KafkaListenerConfigUtils.KAFKA_LISTENER_ENDPOINT_REGISTRY_BEAN_NAME)
		KafkaListenerEndpointRegistry ownRegistry() {
			return new Registry();
		}

		static class Registry extends KafkaListenerEndpointRegistry {

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

		@KafkaListener(topics = "payments", groupId = "test")
		void onMessage(String message) {
		}

	}

	static class AnnotatedListener {

		@Idempotent
		@KafkaListener(topics = "payments", groupId = "test")
		void onMessage(String message) {
		}

	}

}
