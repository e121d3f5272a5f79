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

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerConfigUtils;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.interceptor.TransactionInterceptor;

import dev.idempotency.Idempotent;
import dev.idempotency.autoconfigure.TestContexts;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.messaging.KafkaInbox;

import static org.assertj.core.api.Assertions.assertThat;

class IdempotencyKafkaAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = TestContexts.withoutDatabase()
		.withConfiguration(AutoConfigurations.of(KafkaAutoConfiguration.class))
		.withPropertyValues("spring.kafka.listener.auto-startup=false");

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
			assertThat(context).getBean(KafkaListenerEndpointRegistry.class).isInstanceOf(OwnRegistry.Registry.class);
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
	void refusesAConsumerWhoseOffsetsDoNotWaitForATransaction() {
		this.contextRunner.withPropertyValues("spring.kafka.consumer.enable-auto-commit=true")
			.withUserConfiguration(Listening.class)
			.run((context) -> assertThat(failure(context)).contains("enable.auto.commit"));
	}

	@Test
	@Tag("M3")
	void refusesABatchThatItsListenerAcknowledges() {
		this.contextRunner.withPropertyValues("spring.kafka.listener.ack-mode=manual")
			.withUserConfiguration(Batch.class)
			.run((context) -> assertThat(failure(context)).contains("acknowledges them itself"));
	}

	@Test
	@Tag("M4")
	void refusesATransactionAroundABatch() {
		this.contextRunner.withUserConfiguration(Batch.class, Advised.class)
			.run((context) -> assertThat(failure(context)).contains("an advice that begins a transaction"));
	}

	@Test
	@Tag("M7")
	void refusesWhatCallsAListenerAgainWithTheSameObject() {
		DefaultErrorHandler handler = new DefaultErrorHandler();
		handler.setSeekAfterError(false);
		this.contextRunner.withBean(DefaultErrorHandler.class, () -> handler)
			.withUserConfiguration(Listening.class)
			.run((context) -> assertThat(failure(context)).contains("seekAfterError=false"));
		this.contextRunner.withUserConfiguration(Retried.class)
			.run((context) -> assertThat(failure(context)).contains("@Retryable"));
	}

	@Test
	@Tag("M3")
	void refusesAListenerThatReturnsBeforeItHasRun() {
		this.contextRunner.withUserConfiguration(Asynchronous.class)
			.run((context) -> assertThat(failure(context)).contains("@Async"));
	}

	@Test
	void isNotThereWithoutKafka() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("org.springframework.kafka"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("idempotencyKafkaInbox"));
	}

	@Test
	void backsOffWithoutAStore() {
		new ApplicationContextRunner().withConfiguration(TestContexts.LIBRARY)
			.withConfiguration(AutoConfigurations.of(KafkaAutoConfiguration.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(KafkaInbox.class));
	}

	private static boolean isProtected(AssertableApplicationContext context) {
		Object listener = context.getBean(KafkaListenerEndpointRegistry.class)
			.getListenerContainer("payments")
			.getContainerProperties()
			.getMessageListener();
		return listener.getClass().getPackage() == KafkaInbox.class.getPackage();
	}

	private static String failure(AssertableApplicationContext context) {
		assertThat(context).getFailure().isInstanceOf(InvalidIdempotentException.class);
		return String.valueOf(context.getStartupFailure());
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

		@KafkaListener(id = "payments", topics = "payments")
		void onMessage(String message) {
		}

	}

	static class AnnotatedListener {

		@Idempotent
		@KafkaListener(id = "payments", topics = "payments")
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
		@KafkaListener(id = "payments", topics = "payments", batch = "true")
		void onMessages(List<String> messages, Acknowledgment acknowledgment) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Advised {

		@Bean
		ConcurrentKafkaListenerContainerFactory<Object, Object> kafkaListenerContainerFactory(
				ConsumerFactory<Object, Object> consumers) {
			ConcurrentKafkaListenerContainerFactory<Object, Object> factory = new ConcurrentKafkaListenerContainerFactory<>();
			factory.setConsumerFactory(consumers);
			factory.getContainerProperties().setAdviceChain(new TransactionInterceptor());
			return factory;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods(order = 900)
	static class Retried {

		@Bean
		RetriedListener listener() {
			return new RetriedListener();
		}

	}

	static class RetriedListener {

		@Idempotent
		@Retryable
		@KafkaListener(id = "payments", topics = "payments")
		void onMessage(String message) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class Asynchronous {

		@Bean
		AsynchronousListener listener() {
			return new AsynchronousListener();
		}

	}

	static class AsynchronousListener {

		@Async
		@Idempotent
		@KafkaListener(id = "payments", topics = "payments")
		void onMessage(String message) {
		}

	}

}
